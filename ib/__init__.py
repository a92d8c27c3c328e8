"""InvisibleBench: what AI assistants fail to notice when they talk with family caregivers."""

import os

# What a file must look like must not depend on what else is installed; and to look for plugins takes time.
os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")

__version__ = "0.1.0"
