"""Cells carry the name of their column, for phones and paper."""

from __future__ import annotations

from markupsafe import Markup

from delivery.words.labels import is_long, labeled
from tests.delivery import reading
from tests.delivery.test_sync_web_bench import bodies

PLAIN = Markup(
    '<table class="ib-table"><caption>c</caption><thead><tr><th scope="col">Model</th>'
    '<th scope="col" class="n">Say &#34;x&#34; <span>or</span> "y"</th></tr></thead>'
    '<tbody><tr id="r"><th scope="row">a &#60; b</th><td class="n">1 &#38; 2</td></tr></tbody></table>'
)


def test_a_cell_has_the_name_of_its_column() -> None:
    """The text of the head, escaped; the row's own name and the content of the cells stay as they are."""
    table = reading.read(labeled(PLAIN))
    (cell,) = table.all("td")
    assert cell.attrs == {"data-label": 'Say "x" or "y"', "class": "n"}
    assert cell.text == "1 & 2"
    assert "data-label" not in table.all("tbody")[0].all("th")[0].attrs
    assert table.all("table", "ib-stack")


def test_a_table_without_single_names_is_left_alone() -> None:
    """Two rows of names, a cell over several columns, no names: the table is returned as it is."""
    twice = PLAIN.replace(Markup("</tr></thead>"), Markup("</tr><tr></tr></thead>"))
    wide = PLAIN.replace(Markup('<td class="n"'), Markup('<td colspan="2"'))
    bare = Markup("<table><tbody><tr><td>x</td></tr></tbody></table>")
    for table in (twice, wide, bare):
        assert labeled(table) == table


def test_a_name_that_the_template_gave_stays() -> None:
    """A cell with a name of its own keeps it, and the cells after it have theirs."""
    given = PLAIN.replace(Markup('<td class="n">'), Markup('<td data-label="own">'))
    (cell,) = reading.read(labeled(given)).all("td")
    assert cell.attrs == {"data-label": "own"}


def test_every_cell_of_the_site_has_a_name(projected: dict[str, str]) -> None:
    """In every table that becomes a list, each cell has a name unless its column has none."""
    seen = 0
    for path, html in bodies(projected):
        for table in reading.read(html).all("table", "ib-stack"):
            names = [head.text.strip() for head in table.all("thead")[0].all("th")]
            for row in table.all("tbody")[0].all("tr"):
                cells = [part for part in row.parts if isinstance(part, reading.Element)]
                found = [cell for name, cell in zip(names, cells, strict=True) if cell.tag == "td" and name]
                assert [cell for cell in found if not cell.attrs.get("data-label")] == [], path
                seen += len(found)
    assert seen > 100


def test_a_long_table_is_told_from_a_short_one() -> None:
    """Twelve rows and a head are long; eleven are not."""
    row = Markup("<tr><td>x</td></tr>")
    assert is_long(row * 13)
    assert not is_long(row * 12)
