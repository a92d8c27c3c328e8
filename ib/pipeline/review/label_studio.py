"""A batch as tasks of Label Studio, and its JSON export as an answers file."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import date
from pathlib import Path
from xml.sax.saxutils import quoteattr

from ib.errors import DataError, Finding
from ib.models.common.base import Role
from ib.models.review.answers import MOST_NOTE, Answer, Answers, Choice, Marked
from ib.models.review.batch import Batch, Item, Said
from ib.models.review.label_studio import Annotation, Export, Exported, Paragraph, Region, Task, TaskData
from ib.models.scan.decided import Reader
from ib.store.files.validation import load_json

SHOWN = "shows it"
"""The label of words that show the answer."""
ANSWER, WORDS, NOTE, SAID = "answer", "words", "note", "said"
"""The names of the controls in the labeling configuration."""
CHOICES = {"pass": Choice.PASS, "fail": Choice.FAIL, "cannot tell": Choice.CANNOT_TELL}
"""The answers as they are offered."""
_WHO = {Role.USER: "Person", Role.ASSISTANT: "Assistant"}


def tasks_of(batch: Batch) -> list[Task]:
    """The items of a batch in its order, as tasks to import."""
    return [Task(data=_data(batch, item)) for item in batch.items]


def _data(batch: Batch, item: Item) -> TaskData:
    asked = item.asked
    return TaskData(
        batch=batch.hash,
        item=item.id,
        question=f"{asked.name}. {asked.summary}",
        fail=f"Fail: {asked.fail_rule}",
        passes=f"Pass: {asked.pass_rule}",
        unclear=f"Cannot tell: {asked.unclear_rule}",
        said=tuple(Paragraph(who=_who(one), text=one.content) for one in item.messages),
    )


def _who(one: Said) -> str:
    judged = ", to be judged" if one.judged else ""
    return f"{_WHO.get(one.role, one.role.value)}, turn {one.turn}{judged}"


_LABELING = """<View>
  <Header value={helps} size="5"/>
  <Text name="question-text" value="$question"/>
  <Text name="fail-text" value="$fail"/>
  <Text name="passes-text" value="$passes"/>
  <Text name="unclear-text" value="$unclear"/>
  <ParagraphLabels name="{WORDS}" toName="{SAID}">
    <Label value="{SHOWN}"/>
  </ParagraphLabels>
  <Paragraphs name="{SAID}" value="${SAID}" layout="dialogue" nameKey="who" textKey="text"
    saveTextResult="yes"/>
  <Choices name="{ANSWER}" toName="{SAID}" choice="single-radio" required="true" showInline="true">
{choices}
  </Choices>
  <Header value="A fail needs words that show it. Mark them in one reply to be judged at a time." size="5"/>
  <TextArea name="{NOTE}" toName="{SAID}" rows="3" placeholder="Why, in your own words"/>
</View>
"""


def labeling(lines: Iterable[str]) -> str:
    """The labeling configuration, with crisis lines for readers whom the texts hurt."""
    return _LABELING.format(
        helps=quoteattr("These texts can hurt. Stop whenever you want. " + "; ".join(lines)),
        choices="\n".join(f"    <Choice value={quoteattr(name)}/>" for name in CHOICES),
        WORDS=WORDS,
        SAID=SAID,
        SHOWN=SHOWN,
        ANSWER=ANSWER,
        NOTE=NOTE,
    )


def answers_of(path: Path, batch: Batch, reader: Reader, day: date, annotator: str | None = None) -> Answers:
    """The answers of one annotator in a JSON export, as an answers file of a reader.

    `annotator` is the number or the e-mail address of the annotator, which is written nowhere. It is needed
    if the export has several. Raises DataError, with all findings, if the export is of another batch or has
    something that is no answer.
    """
    export = load_json(Export, path).root
    given = answers_by(path, export, batch, _chosen(path, export, annotator))
    parts = {"batch": batch.hash, "results_hash": batch.results_hash, "draw": batch.draw}
    return Answers(**parts, reader=reader, date=day, answers=given)


def annotators_in(export: Sequence[Exported]) -> dict[int, set[str]]:
    """The numbers of the annotators of an export, each with its names: the number, and the address."""
    found: dict[int, set[str]] = {}
    for task in export:
        for one in task.annotations:
            if not one.was_cancelled:
                by = one.completed_by
                mail = {by.email} if not isinstance(by, int) and by.email else set()
                found.setdefault(_number(one), {str(_number(one))}).update(mail)
    return found


def answers_by(path: Path, export: Sequence[Exported], batch: Batch, chosen: int) -> tuple[Answer, ...]:
    """The answers of the annotator with this number. Raises as `answers_of` does."""
    findings = list(_foreign(path, export, batch))
    if findings:
        raise DataError(findings)
    items = {item.id: item for item in batch.items}
    given: list[Answer] = []
    for at, task in enumerate(export):
        for number, annotation in enumerate(task.annotations):
            if annotation.was_cancelled or _number(annotation) != chosen:
                continue
            where = (at, "annotations", number, "result")
            problems = list(_problems(annotation, items[task.data.item]))
            findings += [Finding.at(path, None, where, *one) for one in problems]
            given += [] if problems else [_answer(annotation, items[task.data.item])]
    findings += _twice(path, given)
    if findings:
        raise DataError(findings)
    return tuple(given)


def _foreign(path: Path, export: Sequence[Exported], batch: Batch) -> Iterator[Finding]:
    """Tasks that are not of the batch."""
    ids = {item.id for item in batch.items}
    for at, task in enumerate(export):
        if task.data.batch != batch.hash or task.data.item not in ids:
            found = f"{task.data.item} of batch {task.data.batch[:12]}"
            hint = f"tasks of batch {batch.hash[:12]}"
            yield Finding.at(path, None, (at, "data", "item"), found, hint)


def _number(annotation: Annotation) -> int:
    by = annotation.completed_by
    return by if isinstance(by, int) else by.id


def _chosen(path: Path, export: Sequence[Exported], annotator: str | None) -> int:
    """The number of the annotator. Raises DataError if none, or several, could be meant."""
    people = annotators_in(export)
    meant = [number for number, names in people.items() if annotator is None or annotator in names]
    if len(meant) != 1:
        found = f"annotators {', '.join(map(str, sorted(people))) or 'none'}"
        raise DataError.one(path, None, "completed_by", found, "name one of them with --annotator")
    return meant[0]


def _of(annotation: Annotation, name: str) -> list[Region]:
    return [region for region in annotation.result if region.from_name == name]


def _problems(annotation: Annotation, item: Item) -> Iterator[tuple[str, str]]:
    """What is wrong with an annotation: what was found, and what is allowed."""
    chosen = [one for region in _of(annotation, ANSWER) for one in region.value.choices]
    if len(chosen) != 1 or chosen[0] not in CHOICES:
        yield f"the answer {chosen}", f"one of {', '.join(CHOICES)}"
    words = _of(annotation, WORDS)
    for region in words:
        if _message(region, item) is None:
            found = f"words in paragraphs {region.value.start} to {region.value.end}"
            yield found, "words of one reply that is to be judged"
        if not isinstance(region.value.text, str) or not region.value.text.strip():
            yield "marked words without their text", 'an export of a project with saveTextResult="yes"'
    if chosen == ["fail"] and not words:
        yield "a fail without marked words", "mark the words that show it, or the nearest ones"
    if len(_note(annotation)) > MOST_NOTE:
        yield f"a note of {len(_note(annotation))} characters", f"at most {MOST_NOTE}"


def _message(region: Region, item: Item) -> Said | None:
    """The judged reply in which words were marked; None if they are elsewhere, or in several messages."""
    start, end = str(region.value.start), str(region.value.end)
    if start != end or not start.isascii() or not start.isdigit() or int(start) >= len(item.messages):
        return None
    message = item.messages[int(start)]
    return message if message.judged else None


def _note(annotation: Annotation) -> str:
    texts = [region.value.text for region in _of(annotation, NOTE)]
    return "\n".join(
        part for text in texts if text for part in ([text] if isinstance(text, str) else text)
    ).strip()


def _answer(annotation: Annotation, item: Item) -> Answer:
    """The answer of an annotation without problems."""
    marked = []
    for region in _of(annotation, WORDS):
        message = _message(region, item)
        assert message is not None
        marked.append(Marked(turn=message.turn, quote=str(region.value.text)))
    (chosen,) = (one for region in _of(annotation, ANSWER) for one in region.value.choices)
    return Answer(item=item.id, answer=CHOICES[chosen], marked=tuple(marked), note=_note(annotation))


def _twice(path: Path, given: Sequence[Answer]) -> Iterator[Finding]:
    seen: set[str] = set()
    for one in given:
        if one.item in seen:
            yield Finding.at(
                path, None, "annotations", f"two answers to item {one.item}", "one by each person"
            )
        seen.add(one.item)
