"""How a page of help looks: Markdown knows no room between blocks, no sizes of our scale, no colors
of themes."""

import re
from collections.abc import Iterator

from PySide6.QtGui import (
    QBrush,
    QColor,
    QFont,
    QTextBlock,
    QTextBlockFormat,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
    QTextFormat,
    QTextFrameFormat,
    QTextLength,
    QTextTable,
    QTextTableCell,
    QTextTableCellFormat,
)

from emberscope_app.theme import tokens
from emberscope_app.theme.look import current, font

_PART = 200   # blocks that are dressed in one step, 5 ms
_WIDEST = 60  # characters; a column with longer texts gets no larger share
_NAME = 24    # characters of a word that is not broken in its cell
_OBJECT = "\ufffc"  # stands for an image in the text of a block
_ROW = QTextBlockFormat.LineHeightTypes.ProportionalHeight.value


def dress(document: QTextDocument) -> Iterator[None]:
    """Room, sizes and colors of a page that was just read from Markdown, a part at each step.

    The document is no view's yet: a view would lay it out anew with every part.
    """
    block, count = document.begin(), 0
    while block.isValid():
        _space(block)
        _ink(block)
        block, count = block.next(), count + 1
        if count % _PART == 0:
            yield
    for frame in document.rootFrame().childFrames():
        if isinstance(frame, QTextTable):
            _rule(frame)
            yield


def heading(document: QTextDocument, slug: str) -> QTextBlock | None:
    """The heading a link means by "#kinds-of-labels"; None where there is none."""
    block = document.begin()
    while block.isValid() and slug:
        if block.blockFormat().headingLevel() and slug_of(block.text()) == slug:
            return block
        block = block.next()
    return None


def slug_of(title: str) -> str:
    """"k-NN accuracy" as links write it: "k-nn-accuracy"."""
    return re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")


def _space(block: QTextBlock) -> None:
    found = block.blockFormat()
    level, cursor = found.headingLevel(), QTextCursor(block)
    space = QTextBlockFormat(found)
    image = _OBJECT in block.text()  # its height is that of its line, of which nothing is added
    space.setLineHeight(140 if level == 0 and not image else 100, _ROW)
    if cursor.currentTable() is not None:
        space.setTopMargin(0)
        space.setBottomMargin(0)
        space.setNonBreakableLines(_is_name(block.text()))
    elif is_code(found):
        space.setTopMargin(0 if is_code(block.previous().blockFormat()) else 8)
        space.setBottomMargin(0 if is_code(block.next().blockFormat()) else 10)
        space.setNonBreakableLines(False)
        space.setBackground(QColor(current().bg2))
    else:
        space.setTopMargin({0: 0, 1: 4, 2: 18}.get(level, 12))
        space.setBottomMargin(8 if level == 0 else 6)
    if block.textList() is not None:
        space.setTopMargin(0)
        space.setBottomMargin(4)
    if found.intProperty(QTextFormat.Property.BlockQuoteLevel):
        space.setLeftMargin(16)
        space.setTopMargin(2)
    cursor.setBlockFormat(space)
    if level:
        cursor.select(QTextCursor.SelectionType.BlockUnderCursor)
        style = QTextCharFormat()
        style.setFont(font(tokens.PX_BIG if level == 1 else tokens.PX_HEADER, 600))
        cursor.setCharFormat(style)


def _is_name(words: str) -> bool:
    """Whether a cell holds one word that a column can be as wide as."""
    return 0 < len(words) <= _NAME and not words.strip().count(" ")


def is_code(found: QTextBlockFormat) -> bool:
    """Whether a block stands between ``` fences."""
    return found.hasProperty(QTextFormat.Property.BlockCodeFence)


def _ink(block: QTextBlock) -> None:
    """Links underlined, code in the other font on a ground of its own, quoted messages in the
    second ink."""
    t, quoted = current(), block.blockFormat().intProperty(QTextFormat.Property.BlockQuoteLevel)
    if is_code(block.blockFormat()):
        _set(block, 0, block.length() - 1, _code(QTextCharFormat()))
        return
    for run in block.textFormats():
        style = QTextCharFormat(run.format)  # type: ignore[attr-defined]
        if style.isAnchor():
            style.setForeground(QColor(t.t1))
            style.setFontUnderline(True)
        elif style.fontFixedPitch():
            style = _code(style)
            style.setBackground(QColor(t.bg3))
        elif quoted:
            style.setForeground(QColor(t.t2))
        else:
            continue
        _set(block, run.start, run.length, style)  # type: ignore[attr-defined]


def _code(style: QTextCharFormat) -> QTextCharFormat:
    """In the font of code, without ligatures: "--json" keeps both strokes."""
    mono = font(tokens.PX_SMALL, mono=True)
    mono.setFeature(QFont.Tag("calt"), 0)
    style.setFont(mono)
    style.setForeground(QColor(current().t1))
    return style


def _set(block: QTextBlock, start: int, length: int, style: QTextCharFormat) -> None:
    cursor = QTextCursor(block)
    cursor.setPosition(block.position() + start)
    cursor.setPosition(block.position() + start + length, QTextCursor.MoveMode.KeepAnchor)
    cursor.setCharFormat(style)


def _rule(table: QTextTable) -> None:
    """Full width, a hairline under each row, the head in the second ink."""
    t, form = current(), table.format()
    form.setBorder(0)
    form.setBorderCollapse(True)
    form.setCellSpacing(0)
    form.setCellPadding(0)
    form.setTopMargin(4)
    form.setBottomMargin(12)
    form.setWidth(QTextLength(QTextLength.Type.PercentageLength, 100))
    form.setColumnWidthConstraints(_widths(table))
    table.setFormat(form)
    first = table.cellAt(0, 0).firstCursorPosition()
    if not first.block().text():  # what Qt leaves of a code block right before a table
        first.deleteChar()
    for row in range(table.rows()):
        for column in range(table.columns()):
            cell = table.cellAt(row, column)
            style = QTextTableCellFormat()
            style.setTopPadding(5)
            style.setBottomPadding(5)
            style.setLeftPadding(0 if column == 0 else 6)
            style.setRightPadding(6)
            style.setBottomBorder(1)
            style.setBottomBorderStyle(QTextFrameFormat.BorderStyle.BorderStyle_Solid)
            style.setBottomBorderBrush(QBrush(QColor(t.line2 if row == 0 else t.line)))
            cell.setFormat(style)
            if row == 0:
                head = cell.firstCursorPosition()
                head.setPosition(cell.lastPosition(), QTextCursor.MoveMode.KeepAnchor)
                _small(head)


def _widths(table: QTextTable) -> list[QTextLength]:
    """Shares of the width by what columns hold; Qt would give all columns that break their lines
    the same."""
    shares = []
    for column in range(table.columns()):
        cells = [_words(table.cellAt(row, column)) for row in range(table.rows())]
        longest = max(len(word) for cell in cells for word in (cell.split() or [""]))
        # Names are in wide type
        shares.append(max(1.3 * longest, min(sum(map(len, cells)) / len(cells), _WIDEST)) + 3)
    return [
        QTextLength(QTextLength.Type.PercentageLength, 100 * share / sum(shares))
        for share in shares
    ]


def _words(cell: QTextTableCell) -> str:
    whole = cell.firstCursorPosition()
    whole.setPosition(cell.lastPosition(), QTextCursor.MoveMode.KeepAnchor)
    return whole.selectedText()


def _small(cursor: QTextCursor) -> None:
    style = QTextCharFormat()
    style.setFont(font(tokens.PX_SMALL, 600))
    style.setForeground(QColor(current().t2))
    cursor.mergeCharFormat(style)
