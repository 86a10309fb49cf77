"""PDF files, written byte by byte, so that what tests read was made by no library that reads them."""

from collections.abc import Sequence


def pdf(*pages: str, title: str = "") -> bytes:
    """A file with a line of Helvetica for each line of each of *pages*."""
    return pdf_of_streams([_stream(page) for page in pages], title)


def pdf_of_streams(streams: Sequence[bytes], title: str = "") -> bytes:
    """A file whose pages have these contents."""
    objects: list[bytes] = [b"<< /Type /Catalog /Pages 2 0 R >>"]
    numbers = [5 + 2 * at for at in range(len(streams))]
    kids = " ".join(f"{number} 0 R" for number in numbers)
    objects.append(f"<< /Type /Pages /Kids [{kids}] /Count {len(streams)} >>".encode())
    objects.append(b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>")
    objects.append(f"<< /Title ({title}) /Author (Ada) >>".encode("latin-1"))
    for number, stream in zip(numbers, streams, strict=True):
        place = f"/Parent 2 0 R /MediaBox [0 0 612 792] /Contents {number + 1} 0 R"
        objects.append(f"<< /Type /Page {place} /Resources << /Font << /F1 3 0 R >> >> >>".encode())
        objects.append(b"<< /Length %d >>\nstream\n%s\nendstream" % (len(stream), stream))
    written, starts = b"%PDF-1.4\n", list[int]()
    for number, body in enumerate(objects, start=1):
        starts.append(len(written))
        written += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    rows = b"".join(b"%010d 00000 n \n" % start for start in starts)
    trailer = b"trailer\n<< /Size %d /Root 1 0 R /Info 4 0 R >>" % (len(objects) + 1)
    table = b"xref\n0 %d\n0000000000 65535 f \n%s" % (len(objects) + 1, rows)
    return written + table + trailer + b"\nstartxref\n%d\n%%%%EOF\n" % len(written)


def _stream(page: str) -> bytes:
    lines = [line.replace("\\", "\\\\").replace("(", "\\(").replace(")", "\\)") for line in page.split("\n")]
    shown = "".join(f"({line}) Tj 0 -14 Td\n" for line in lines) if page else ""
    return f"BT /F1 12 Tf 72 720 Td\n{shown}ET".encode("cp1252")
