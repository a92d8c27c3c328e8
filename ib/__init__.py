"""InvisibleBench: what AI assistants fail to notice when they talk with family caregivers."""

__version__ = "0.1.0"
