"""Writes the test vectors (spec §13). Run in this folder: python3 make.py

Bytes and expectations of the origin `spec` are put down here by hand, from protocol.md alone; those of the origin `dotnet` are cut from the
recordings in ../traces, or in the folder that the first argument names.
"""
import json
import pathlib
import struct
import sys

HERE = pathlib.Path(__file__).parent
TRACES = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else HERE.parent / "traces"
CODES = ["Offer", "OfferAccepted", "Content", "ContentWritingCompleted", "ChannelTerminated", "ContentProcessed",
         "ContentReadingCompleted", "ChannelWindowAdjust", "ChannelWindowGrowthRequest"]
SOURCES = {1: "remote", 0: "seeded", -1: "local"}
LONGEST_DOTNET_BYTES = 9_000


# ---- MessagePack, written in the shortest form, or in a form that is asked for

def uint(n):
    if n < 0x80:
        return bytes([n])
    for prefix, fmt, top in ((0xCC, ">B", 1 << 8), (0xCD, ">H", 1 << 16), (0xCE, ">I", 1 << 32), (0xCF, ">Q", 1 << 64)):
        if n < top:
            return bytes([prefix]) + struct.pack(fmt, n)
    raise ValueError(n)


def sint(n):
    return uint(n) if n >= 0 else struct.pack(">b", n)


def int_forms(n):
    """Every form that can hold n."""
    forms = [sint(n)] if -32 <= n < 128 else []
    for prefix, fmt in ((0xCC, ">B"), (0xCD, ">H"), (0xCE, ">I"), (0xCF, ">Q"), (0xD0, ">b"), (0xD1, ">h"), (0xD2, ">i"), (0xD3, ">q")):
        try:
            forms.append(bytes([prefix]) + struct.pack(fmt, n))
        except struct.error:
            pass
    return forms


def string(text):
    raw = text if isinstance(text, bytes) else text.encode()
    if len(raw) < 32:
        return bytes([0xA0 + len(raw)]) + raw
    if len(raw) < 256:
        return b"\xd9" + struct.pack(">B", len(raw)) + raw
    return b"\xda" + struct.pack(">H", len(raw)) + raw


def binary(raw):
    return (b"\xc4" + struct.pack(">B", len(raw)) if len(raw) < 256 else b"\xc5" + struct.pack(">H", len(raw))) + raw


def array(*elements):
    return bytes([0x90 + len(elements)]) + b"".join(elements)


NIL = b"\xc0"


# ---- vectors

def write(version, origin, name, about, spec, body):
    folder = HERE / f"v{version}" / origin
    folder.mkdir(parents=True, exist_ok=True)
    vector = {"name": name, "about": about, "version": version, "spec": "§" + spec, **body}
    (folder / (name + ".json")).write_text(json.dumps(vector, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


def view(code, id_, source, **rest):
    frame = {"code": code, "id": None if id_ is None else str(id_), "source": None if id_ is None else source}
    return {**frame, **rest}


class Wire:
    """Frames of one version from the peer of the reader, who is the odd party on v1 and v2."""

    def __init__(self, version):
        self.version = version
        self.qualified = version >= 3
        self.mine = 1 if self.qualified else 2  # a channel that the sender of the frames offered
        self.yours = 1  # one that the reader offered

    def id_of(self, source):
        return self.mine if source == 1 else self.yours

    def frame(self, code, payload=b"", source=1, id_=None, code_bytes=None, id_bytes=None, source_bytes=None):
        id_ = self.id_of(source) if id_ is None else id_
        if self.version == 1:
            return struct.pack(">BIH", code, id_, len(payload)) + payload
        parts = [code_bytes or uint(code), id_bytes or uint(id_)]
        if self.qualified:
            parts.append(source_bytes or sint(source))
        if payload:
            parts.append(binary(payload))
        return array(*parts)

    def seen(self, code, source=1, id_=None, **rest):
        return view(code, self.id_of(source) if id_ is None else id_, SOURCES[source], **rest)

    def vector(self, name, about, spec, raw, frames=(), violation=None, canonical=False, left_over=0, chunks=None, party="odd"):
        expect = {"frames": list(frames)}
        if violation:
            expect["violation"] = violation
            expect["violationAtFrame"] = len(expect["frames"])
        if left_over:
            expect["leftOverBytes"] = left_over
        body = {} if self.qualified else {"perspective": {"party": party}}
        body["bytes"] = raw.hex()
        if chunks:
            body["chunks"] = chunks
        write(self.version, "spec", name, about, spec, {**body, "expect": expect, "canonical": canonical})

    # -- the parts that all versions share, each in its own bytes

    def offer_payload(self, name, window=4096):
        raw = name if isinstance(name, bytes) else name.encode()
        return raw if self.version == 1 else array(string(raw), uint(window))

    def window(self, window=4096):
        return None if self.version == 1 else window

    def codes(self):
        v, w = self.vector, self.window()
        f, s = self.frame, self.seen
        v("offer", "A named channel is offered.", "5.1", f(0, self.offer_payload("echo")), [s("Offer", name="echo", windowBytes=w)],
          canonical=True)
        for name, text in (("empty", ""), ("emoji", "grüße, 世界 🚀"), ("31-bytes", "n" * 31), ("32-bytes", "n" * 32),
                           ("255-bytes", "n" * 255), ("256-bytes", "n" * 256), ("longest", "n" * 1024), ("member", "constructor")):
            v("offer-name-" + name, f"A name of {len(text.encode())} bytes.", "5.1", f(0, self.offer_payload(text)),
              [s("Offer", name=text, windowBytes=w)], canonical=True)
        for name, raw in (("lone-byte", b"a\xff"), ("overlong", b"\xc0\x80"), ("surrogate", b"\xed\xa0\x80"), ("cut", b"\xf0\x9f\x9a")):
            v("offer-name-not-utf8-" + name, "A name that is no UTF-8: the offer is read, and has to be rejected.", "5.1",
              f(0, self.offer_payload(raw)), [s("Offer", name=None, windowBytes=w, violation="UNREADABLE_NAME")])
        v("offer-name-too-long", "A name of 1,025 bytes: the offer is read, and has to be rejected.", "11.1",
          f(0, self.offer_payload("n" * 1025)), [s("Offer", name=None, windowBytes=w, violation="NAME_TOO_LONG")])
        accepted = b"" if self.version == 1 else array(uint(4096))
        v("offer-accepted", "The reader's offer is accepted.", "5.2", f(1, accepted, -1), [s("OfferAccepted", -1, windowBytes=w)],
          canonical=True)
        for source, of in ((1, "its sender's"), (-1, "its reader's")):
            v("content-on-" + SOURCES[source], f"Content on a channel of {of} side.", "5.3", f(2, bytes(range(5)), source),
              [s("Content", source, payload=bytes(range(5)).hex())], canonical=True)
        v("content-of-one-byte", "The shortest content.", "5.3", f(2, b"*"), [s("Content", payload="2a")], canonical=True)
        v("content-empty", "Content without bytes is legal.", "2.6", f(2), [s("Content", payload="")])
        longest = bytes(i % 251 for i in range(20480))
        v("content-longest", "Content of 20,480 bytes.", "11.1", f(2, longest), [s("Content", payload=longest.hex())], canonical=True)
        v("writing-completed", "Half-close.", "5.4", f(3), [s("ContentWritingCompleted")], canonical=True)
        v("writing-completed-with-payload", "A payload where none belongs is ignored.", "5", f(3, b"\x01\x02"),
          [s("ContentWritingCompleted")])
        v("terminated", "The sender is done with the channel.", "5.5", f(4, b"", -1), [s("ChannelTerminated", -1, errorText=None)],
          canonical=True)
        joined = [(f(0, self.offer_payload("a")), s("Offer", name="a", windowBytes=w)), (f(2, b"xyz"), s("Content", payload="78797a")),
                  (f(3), s("ContentWritingCompleted")), (f(4), s("ChannelTerminated", errorText=None))]
        raw = b"".join(b for b, _ in joined)
        frames = [x for _, x in joined]
        v("joined", "Four frames in one piece.", "2", raw, frames, canonical=True, chunks=[len(raw)])
        v("chopped", "Four frames, byte by byte.", "2", raw, frames, canonical=True, chunks=[1] * len(raw))
        v("chopped-across", "Four frames in pieces that end inside of frames.", "2", raw, frames, canonical=True,
          chunks=[5, 7, len(raw) - 12 - 3, 3])
        tail = f(2, b"xyz")[:-1]
        v("incomplete-payload", "The last byte of the second frame has not come.", "2", joined[0][0] + tail, frames[:1],
          left_over=len(tail))
        v("incomplete-header", "Two bytes of the second frame have come.", "2", joined[0][0] + tail[:2], frames[:1], left_over=2)
        v("nothing", "No byte, no frame.", "2", b"", [], canonical=True)


def v1():
    w = Wire(1)
    w.codes()
    v, f, s = w.vector, w.frame, w.seen
    v("offer-accepted-with-payload", "A payload where none belongs is ignored.", "5", f(1, b"\x91\x05", -1),
      [s("OfferAccepted", -1, windowBytes=None)])
    v("terminated-with-payload", "v1 has no error text: the payload is ignored.", "5", f(4, b"\x91\xa1x"),
      [s("ChannelTerminated", errorText=None)])
    v("offer-highest-id", "The highest id of the odd party.", "4.1", f(0, b"x", id_=2**32 - 1),
      [s("Offer", id_=2**32 - 1, name="x", windowBytes=None)], canonical=True, party="even")
    v("offer-highest-even-id", "The highest id of the even party.", "4.1", f(0, b"x", id_=2**32 - 2),
      [s("Offer", id_=2**32 - 2, name="x", windowBytes=None)], canonical=True)
    v("id-zero", "No channel has the id 0.", "4.1", f(2, b"x", id_=0), violation="INVALID_CHANNEL_ID")
    v("offer-wrong-parity", "The even party offers an odd id.", "4.1", f(0, b"x", id_=3), violation="INVALID_CHANNEL_ID")
    v("content-too-long", "The header tells of 20,481 bytes.", "11.1", struct.pack(">BIH", 2, 2, 20481), violation="FRAME_TOO_LARGE")
    v("error-after-a-frame", "The first frame is read, the third is not.", "10.1", f(3) + f(2, b"x", id_=0) + f(3),
      [s("ContentWritingCompleted")], "INVALID_CHANNEL_ID")
    v("unknown-longest-header", "Other codes than Content may carry up to 65,535 bytes: this header waits for them.", "11.1",
      struct.pack(">BIH", 42, 2, 65535), left_over=7)
    for code in (5, 6, 7, 8, 42, 255):
        v(f"unknown-code-{code}", "v1 knows 0 to 4 alone.", "2.6", f(code, b"\x91\x01"), [s("Unknown", number=code)])


def structure(w):
    """MessagePack frames that are not of the right shape, or that are so in an unusual form."""
    v, f, s = w.vector, w.frame, w.seen
    src = [sint(1)] if w.qualified else []
    one = uint(w.mine)
    head = [uint(2), one, *src]
    for name, raw in (("integer", b"\x05"), ("nil", NIL), ("string", b"\xa1x"), ("map", b"\x81\x02\x01"), ("bin", b"\xc4\x01x"),
                      ("never-used", b"\xc1"), ("true", b"\xc3")):
        v("frame-is-" + name, "A frame is an array.", "2.3", raw, violation="MALFORMED_FRAME")
    v("frame-empty-array", "A frame has a code.", "2.3", array(), violation="MALFORMED_FRAME")
    v("frame-too-many-elements", "One element more than a frame can have.", "2.3", array(*head, binary(b"x"), b"\x01"),
      violation="MALFORMED_FRAME")
    v("frame-array32-huge", "An array that says that it has 2^32 - 1 elements.", "2.3", b"\xdd\xff\xff\xff\xff\x02",
      violation="MALFORMED_FRAME")
    body = b"".join([*head, binary(b"xyz")])
    count = len(head) + 1
    v("frame-array16", "The count in a longer form.", "2.4", b"\xdc" + struct.pack(">H", count) + body, [s("Content", payload="78797a")])
    v("frame-array32", "The count in the longest form.", "2.4", b"\xdd" + struct.pack(">I", count) + body,
      [s("Content", payload="78797a")])
    longest = [b"\xcf" + struct.pack(">Q", 2), b"\xcf" + struct.pack(">Q", w.mine)]
    longest += [b"\xd3" + struct.pack(">q", 1)] if w.qualified else []
    longest.append(b"\xc6" + struct.pack(">I", 3) + b"xyz")
    v("frame-longest-header", "Everything before the payload in its longest form.", "2.4",
      b"\xdd" + struct.pack(">I", count) + b"".join(longest), [s("Content", payload="78797a")])
    for name, raw in (("nil", NIL), ("string", b"\xa12"), ("negative", b"\xff"), ("negative-int64", b"\xd3" + b"\xff" * 8),
                      ("float", b"\xca\x40\x00\x00\x00"), ("bool", b"\xc3")):
        v("code-is-" + name, "A code is an unsigned integer.", "2.3", array(raw, one, *src), violation="MALFORMED_FRAME")
        if raw != NIL:
            v("id-is-" + name, "An id is an unsigned integer, or nil.", "2.3", array(uint(2), raw, *src, binary(b"x")),
              violation="MALFORMED_FRAME")
    for name, raw in (("nil", NIL), ("string", b"\xa1x"), ("array", b"\x91\x05"), ("integer", b"\x05")):
        v("payload-is-" + name, "A payload is a bin.", "2.3", array(*head, raw), violation="MALFORMED_FRAME")
    nils = [NIL] * (len(head) - 1)
    for code in range(9):
        v(f"code-{code}-alone", "A known code needs a channel.", "2.3", array(uint(code)), violation="MISSING_CHANNEL_ID")
        v(f"code-{code}-nil-id", "nil names no channel.", "2.3", array(uint(code), *nils, binary(b"\x91\x01")),
          violation="MISSING_CHANNEL_ID")
    v("code-nil", "nil names no channel, without a payload either.", "2.3", array(uint(3), NIL), violation="MISSING_CHANNEL_ID")
    for name, length in (("8", b"\xc4\x03"), ("16", b"\xc5\x00\x03"), ("32", b"\xc6\x00\x00\x00\x03")):
        v("content-bin" + name, "The payload's length in one of its forms.", "2.4", array(*head, length + b"xyz"),
          [s("Content", payload="78797a")], canonical=name == "8")
    for name, length in (("8", b"\xc4\x00"), ("16", b"\xc5\x00\x00"), ("32", b"\xc6\x00\x00\x00\x00")):
        v("content-empty-bin" + name, "An empty payload that was not left out.", "2.6", array(*head, length), [s("Content", payload="")])
    v("writing-completed-empty-bin", "An empty payload that was not left out.", "2.2", array(uint(3), one, *src, b"\xc4\x00"),
      [s("ContentWritingCompleted")])

    def opened(code, length):
        return bytes([0x90 + count]) + uint(code) + one + b"".join(src) + length

    v("content-too-long", "The header tells of 20,481 bytes.", "11.1", opened(2, b"\xc5\x50\x01"), violation="FRAME_TOO_LARGE")
    v("content-4-gib", "The header tells of 2^32 - 1 bytes.", "11.1", opened(2, b"\xc6\xff\xff\xff\xff"), violation="FRAME_TOO_LARGE")
    for code in (0, 4, 42):
        v(f"code-{code}-payload-too-long", "The header tells of 65,536 bytes.", "11.1", opened(code, b"\xc6\x00\x01\x00\x00"),
          violation="FRAME_TOO_LARGE")
        raw = opened(code, b"\xc5\xff\xff")
        v(f"code-{code}-payload-longest", "The header tells of 65,535 bytes, and waits for them.", "11.1", raw, left_over=len(raw))
    v("error-after-a-frame", "The first frame is read, the third is not.", "10.1", f(3) + NIL + f(3), [s("ContentWritingCompleted")],
      "MALFORMED_FRAME")


def integers(w):
    v, f, s = w.vector, w.frame, w.seen
    v("int-forms-code", "The code 3 in every integer form.", "2.4", b"".join(f(3, code_bytes=x) for x in int_forms(3)),
      [s("ContentWritingCompleted") for _ in int_forms(3)])
    v("int-forms-id", "An id in every integer form.", "2.4", b"".join(f(3, id_bytes=x) for x in int_forms(w.mine)),
      [s("ContentWritingCompleted") for _ in int_forms(w.mine)])
    if w.qualified:
        for source in (1, 0, -1):
            v("int-forms-source-" + SOURCES[source], f"The source {source} in every integer form.", "2.4",
              b"".join(f(3, source=source, id_=1, source_bytes=x) for x in int_forms(source)),
              [s("ContentWritingCompleted", source, 1) for _ in int_forms(source)])
    for n in (0, 5, 100, 200, 40_000, 3_000_000_000, 2**40):
        forms = int_forms(n)
        v(f"int-forms-offer-window-{n}", "An offer's window in every form.", "2.4",
          b"".join(f(0, array(b"\xa1x", x)) for x in forms), [s("Offer", name="x", windowBytes=n) for _ in forms])
        v(f"int-forms-accepted-window-{n}", "An acceptance's window in every form.", "2.4",
          b"".join(f(1, array(x), -1) for x in forms), [s("OfferAccepted", -1, windowBytes=n) for _ in forms])
        v(f"int-forms-processed-{n}", "Credit in every form.", "2.4", b"".join(f(5, array(x), -1) for x in forms),
          [s("ContentProcessed", -1, bytes=n) for _ in forms])
        v(f"int-forms-adjust-{n}", "A window's new size in every form.", "2.4", b"".join(f(7, array(x), -1) for x in forms),
          [s("ChannelWindowAdjust", -1, windowBytes=n) for _ in forms])
    ids = [126, 128, 254, 256, 65_534, 65_536, 2**31, 2**32 - 2]
    if w.qualified:
        ids += [0, 127, 255, 65_535, 2**32 - 1, 2**32, 2**63 - 1, 2**63, 2**64 - 1]
    for n in ids:
        v(f"id-{n}", "An id in its shortest form.", "4.2" if w.qualified else "4.1", f(0, array(b"\xa1x", uint(4096)), id_=n) + f(3, id_=n),
          [s("Offer", id_=n, name="x", windowBytes=4096), s("ContentWritingCompleted", id_=n)], canonical=True)
    if not w.qualified:
        v("id-zero", "No channel has the id 0.", "4.1", f(3, id_=0), violation="INVALID_CHANNEL_ID")
        v("id-above-32-bits", "Ids have 32 bits.", "4.1", f(3, id_=2**32), violation="INVALID_CHANNEL_ID")
        v("id-2-64-less-1", "Ids have 32 bits.", "4.1", f(3, id_=2**64 - 1), violation="INVALID_CHANNEL_ID")
        v("offer-wrong-parity", "The even party offers an odd id.", "4.1", f(0, array(b"\xa1x", uint(1)), id_=3),
          violation="INVALID_CHANNEL_ID")
        return
    for n in (2, -2, 127, -32, -128, 2**63 - 1, 2**64 - 1, -(2**63)):
        v(f"source-{n}", "A source that there is not.", "4.2", f(3, source_bytes=int_forms(n)[0]), violation="INVALID_CHANNEL_SOURCE")
    for name, raw in (("string", b"\xa11"), ("float", b"\xca\x3f\x80\x00\x00"), ("nil", NIL)):
        v("source-is-" + name, "A source is an integer, and stands by every id.", "2.3", f(3, source_bytes=raw),
          violation="MALFORMED_FRAME")
    v("id-without-source", "An array of two elements that names an id.", "2.3", array(uint(3), uint(1)), violation="MALFORMED_FRAME")
    v("source-without-id", "A source stands with its id.", "2.3", array(uint(3), NIL, uint(1)), violation="MALFORMED_FRAME")
    offer = array(b"\xa1x", uint(1))
    v("offer-of-the-readers", "An offer that is not marked as its sender's own.", "4.2", f(0, offer, -1),
      violation="INVALID_CHANNEL_SOURCE")
    v("offer-seeded", "Seeded channels are not offered.", "4.2", f(0, offer, 0, 0), violation="INVALID_CHANNEL_SOURCE")
    v("offer-accepted-seeded", "Seeded channels are not accepted.", "4.2", f(1, array(uint(1)), 0, 0),
      violation="INVALID_CHANNEL_SOURCE")
    v("same-id-three-channels", "One number, three channels.", "4.2", f(2, b"a", 1, 1) + f(2, b"b", -1, 1) + f(2, b"c", 0, 1),
      [s("Content", 1, 1, payload="61"), s("Content", -1, 1, payload="62"), s("Content", 0, 1, payload="63")], canonical=True)


EXTRAS = [  # one of each type and form: nil, booleans, numbers, str, bin, ext, arrays, maps
    NIL, b"\xc2", b"\xc3", b"\xd3\x80" + bytes(7), b"\xca" + bytes(4), b"\xcb" + bytes(8),
    b"\xa3abc", b"\xd9\x02ab", b"\xda\x00\x01a", b"\xdb\x00\x00\x00\x01a", b"\xc4\x01a", b"\xc5\x00\x01a", b"\xc6\x00\x00\x00\x01a",
    b"\xd4\x01" + bytes(1), b"\xd5\x01" + bytes(2), b"\xd6\x01" + bytes(4), b"\xd7\x01" + bytes(8), b"\xd8\x01" + bytes(16),
    b"\xc7\x03\x01abc", b"\xc8\x00\x01\x01a", b"\xc9\x00\x00\x00\x01\x01a", b"\x92\x01\x91\x02", b"\xdc\x00\x01\x07",
    b"\xdd\x00\x00\x00\x01\x07", b"\x82\xa1a\x01\xa1b\x91\x02", b"\xde\x00\x01\x01\x02", b"\xdf\x00\x00\x00\x01\x01\x02"]


def payloads(w):
    v, f, s = w.vector, w.frame, w.seen
    four_k = uint(4096)
    kinds = [("offer", 0, 1, "Offer", [b"\xa1x"], {"name": "x"}, "windowBytes", "5.1"),
             ("accepted", 1, -1, "OfferAccepted", [], {}, "windowBytes", "5.2"),
             ("processed", 5, -1, "ContentProcessed", [], {}, "bytes", "5.6"),
             ("adjust", 7, -1, "ChannelWindowAdjust", [], {}, "windowBytes", "5.8")]
    for kind, code, source, frame_name, before, fields, field, section in kinds:
        good = lambda value: s(frame_name, source, **fields, **{field: value})
        bad = lambda name, about, payload, what="MALFORMED_PAYLOAD": v(f"{kind}-{name}", about, section, f(code, payload, source),
                                                                      violation=what)
        ok = lambda name, about, payload, value, canonical=False: v(f"{kind}-{name}", about, section, f(code, payload, source),
                                                                   [good(value)], canonical=canonical)
        whole = array(*before, four_k)
        if code in (5, 7):
            ok("plain", "In the shortest form.", whole, 4096, True)
            bad("empty-array", "The number is missing.", array())
            v(f"{kind}-no-payload", "The payload is missing.", section, f(code, b"", source), violation="MALFORMED_PAYLOAD")
        else:
            ok("without-window", "No window is given.", array(*before), None)
        v(f"{kind}-extras", "Elements of every type behind those known are skipped.", section,
          b"".join(f(code, array(*before, four_k, extra), source) for extra in EXTRAS), [good(4096) for _ in EXTRAS])
        ok("extras-together", "Elements of every type at once, more than a short array can count.",
           b"\xdc" + struct.pack(">H", len(before) + 1 + len(EXTRAS)) + b"".join([*before, four_k, *EXTRAS]), 4096)
        ok("extra-16-deep", "An element behind those known, nested as deep as may be.",
           array(*before, four_k, b"\x91" * 15 + b"\x90"), 4096)
        bad("extra-17-deep", "Nested one level too deep.", array(*before, four_k, b"\x91" * 16 + b"\x90"))
        bad("extra-never-used", "c1 is no element.", array(*before, four_k, b"\xc1"))
        bad("extra-missing", "An array that promises one element more than there is.",
            bytes([whole[0] + 1]) + whole[1:])
        bad("extra-cut", "An element that is longer than the payload.", array(*before, four_k, b"\xa5abc"))
        bad("array32-huge", "An array of 2^32 - 1 elements in a few bytes.", b"\xdd\xff\xff\xff\xff" + whole[1:])
        ok("array16", "The count in a longer form.", b"\xdc\x00" + bytes([whole[0] - 0x90]) + whole[1:], 4096)
        ok("array32", "The count in the longest form.", b"\xdd\x00\x00\x00" + bytes([whole[0] - 0x90]) + whole[1:], 4096)
        ok("bytes-behind", "Bytes behind the array are ignored.", whole + b"\x07", 4096)
        bad("no-array", "The payload is an array.", b"\x05")
        bad("map", "The payload is an array.", b"\x81\x01\x02")
        for name, raw in (("nil", NIL), ("string", b"\xa14"), ("negative", b"\xff"), ("negative-int64", b"\xd3" + b"\xff" * 8),
                          ("float", b"\xcb" + struct.pack(">d", 4096.0)), ("bool", b"\xc3")):
            bad("number-is-" + name, "An unsigned integer belongs here.", array(*before, raw))
        bad("number-cut", "The number is longer than the payload.", array(*before, b"\xcd\x10"))
        if code == 5:
            ok("largest", "2^63 - 1 can be read.", array(uint(2**63 - 1)), 2**63 - 1, True)
            bad("2-63", "More than can be outstanding.", array(uint(2**63)), "CREDIT_BEYOND_OUTSTANDING")
            bad("2-64-less-1", "More than can be outstanding.", array(uint(2**64 - 1)), "CREDIT_BEYOND_OUTSTANDING")
        else:
            ok("window-largest", "2^62.", array(*before, uint(2**62)), 2**62, True)
            for name, n in (("2-62-and-1", 2**62 + 1), ("2-63", 2**63), ("2-64-less-1", 2**64 - 1)):
                bad("window-" + name, "A window above 2^62.", array(*before, uint(n)), "WINDOW_OUT_OF_RANGE")
    v("accepted-no-payload", "An acceptance with an empty payload gives no window.", "5.2", f(1, b"", -1),
      [s("OfferAccepted", -1, windowBytes=None)])
    v("offer-no-payload", "A name is needed.", "5.1", f(0), violation="MALFORMED_PAYLOAD")
    v("offer-empty-array", "A name is needed.", "5.1", f(0, array()), violation="MALFORMED_PAYLOAD")
    for name, raw in (("nil", NIL), ("integer", b"\x05"), ("bin", b"\xc4\x01x"), ("array", b"\x91\xa1x"), ("bool", b"\xc2")):
        v("offer-name-is-" + name, "A name is a str.", "5.1", f(0, array(raw, four_k)), violation="MALFORMED_PAYLOAD")
    v("offer-name-cut", "The name is longer than the payload.", "5.1", f(0, b"\x92\xa9abc"), violation="MALFORMED_PAYLOAD")
    v("offer-name-4-gib", "The name says that it has 2^32 - 1 bytes.", "5.1", f(0, b"\x92\xdb\xff\xff\xff\xffabc"),
      violation="MALFORMED_PAYLOAD")
    for name, raw in (("str8", b"\xd9\x01x"), ("str16", b"\xda\x00\x01x"), ("str32", b"\xdb\x00\x00\x00\x01x")):
        v("offer-name-" + name, "The name's length in a longer form.", "2.4", f(0, array(raw, four_k)),
          [s("Offer", name="x", windowBytes=4096)])


def terminations_and_rest(w):
    v, f, s = w.vector, w.frame, w.seen

    def ended(name, about, payload, text, violation=None, canonical=False):
        frame = s("ChannelTerminated", errorText=text, **({"violation": violation} if violation else {}))
        v("terminated-" + name, about, "11.1" if violation == "ERROR_TEXT_TOO_LONG" else "5.5", f(4, payload), [frame],
          canonical=canonical)

    for name, text in (("text", "Invalid: no time"), ("emoji", "déjà vu 🚀"), ("text-longest", "e" * 4096)):
        ended(name, f"An error text of {len(text.encode())} bytes.", array(string(text)), text, canonical=True)
    ended("text-empty", "An empty error text is one.", array(b"\xa0"), "")
    ended("text-str32", "The length in its longest form.", array(b"\xdb\x00\x00\x00\x02no"), "no")
    ended("empty-array", "No text is given.", array(), None)
    ended("nil", "nil is no text.", array(NIL), None)
    v("terminated-extras", "Elements of every type behind the text are skipped.", "5.5",
      b"".join(f(4, array(b"\xa2no", extra)) for extra in EXTRAS), [s("ChannelTerminated", errorText="no") for _ in EXTRAS])
    ended("text-too-long", "4,097 bytes: the first 4,096 are kept.", array(string("e" * 4097)), "e" * 4096, "ERROR_TEXT_TOO_LONG")
    ended("text-broken-behind", "What stands behind the text is not looked at.", array(b"\xa2no", b"\xc1"), "no")
    ended("text-too-long-cut", "A character lies across the limit, and is left out.", array(string("e" * 4094 + "世界")),
          "e" * 4094, "ERROR_TEXT_TOO_LONG")
    for name, payload in (("not-utf8", array(b"\xa2\xc3\x28")), ("integer", array(b"\x05")), ("bin", array(b"\xc4\x01x")),
                          ("no-array", b"\xa2no"), ("map", b"\x81\xa1a\xa1b"), ("cut", b"\x91\xa9abc"),
                          ("array32-huge", b"\xdd\xff\xff\xff\xff\x05"), ("never-used", array(b"\xc1")),
                          ("nil-and-more", array(NIL, b"\x05")),
                          ("too-long-not-utf8", array(string(b"\xff" + b"e" * 4096)))):
        ended("unreadable-" + name, "The channel ends all the same.", payload, None, "UNREADABLE_ERROR_TEXT")
    v("reading-completed", "The sender reads no more.", "5.7", f(6, b"", -1), [s("ContentReadingCompleted", -1)], canonical=True)
    v("growth-request", "The sender is out of credit.", "5.9", f(8), [s("ChannelWindowGrowthRequest")], canonical=True)
    v("reading-completed-with-payload", "A payload where none belongs is ignored.", "5", f(6, b"\x01", -1),
      [s("ContentReadingCompleted", -1)])
    v("growth-request-with-payload", "A payload where none belongs is ignored.", "5", f(8, b"\xc1"), [s("ChannelWindowGrowthRequest")])
    nils = [NIL] * (2 if w.qualified else 1)
    for code in (9, 42, 127, 128, 255, 65_536, 2**32 - 1):
        v(f"unknown-code-{code}", "A code that there is not: alone, with a channel, with a payload, with a payload alone.", "2.6",
          array(uint(code)) + f(code) + f(code, b"\xc1\x00") + array(uint(code), *nils, binary(b"z")),
          [view("Unknown", None, None, number=code), s("Unknown", number=code), s("Unknown", number=code),
           view("Unknown", None, None, number=code)])
    v("unknown-code-payload-string", "An unknown code's frame is a frame as well.", "2.6",
      array(uint(42), *nils, b"\xa1x"), violation="MALFORMED_FRAME")
    if w.qualified:
        v("unknown-code-impossible-source", "An unknown code does not make an impossible source possible.", "2.6",
          f(42, source_bytes=uint(5)), violation="INVALID_CHANNEL_SOURCE")
        v("unknown-code-any-id", "Whether the id was ever used isn't asked.", "2.6", f(42, id_=0) + f(42, id_=2**64 - 1),
          [s("Unknown", id_=0, number=42), s("Unknown", id_=2**64 - 1, number=42)])
    else:
        v("unknown-code-impossible-id", "An unknown code does not make an id of 0 possible.", "2.6", f(42, id_=0),
          violation="INVALID_CHANNEL_ID")
    v("unknown-code-nil-id", "Without an id and without a payload.", "2.2", array(uint(42), *nils), [view("Unknown", None, None, number=42)])


def msgpack(version):
    w = Wire(version)
    w.codes()
    terminations_and_rest(w)
    if version < 4:  # v4's frames are v3's: enough to see that a reader of v4 knows them
        structure(w)
        integers(w)
        payloads(w)


# ---- handshakes

def handshakes():
    own = bytes(range(0x70, 0x80))

    def hand(version, name, about, spec, raw, expect, own_random=own):
        write(version, "spec", "handshake-" + name, about, spec,
              {"kind": "handshake", "ownRandom": own_random.hex(), "bytes": raw.hex(), "expect": expect})

    magic = bytes.fromhex("2fdf1d50")
    forms = {1: lambda r: magic + r, 2: lambda r: array(array(b"\x02", b"\x00"), binary(r))}
    for version, make in forms.items():
        section = f"3.{version}"
        hand(version, "reader-odd", "The reader's first byte is larger.", section, make(b"\x6f" + own[1:]), {"party": "odd"})
        hand(version, "reader-even", "The reader's first byte is smaller.", section, make(b"\x71" + own[1:]), {"party": "even"})
        hand(version, "unsigned", "80 is larger than 7f.", section, make(b"\x80" + own[1:]), {"party": "even"}, b"\x7f" + own[1:])
        hand(version, "last-byte", "Only the last byte differs.", section, make(own[:15] + b"\x00"), {"party": "odd"})
        hand(version, "first-difference", "The first difference decides, not a later one.", section, make(own[:2] + b"\x00" + b"\xff" * 13),
             {"party": "odd"})
        hand(version, "equal", "Both sent the same.", "3.1", make(own), {"violation": "EQUAL_RANDOM"})
        hand(version, "incomplete", "The last byte has not come.", section, make(own[::-1])[:-1],
             {"leftOverBytes": len(make(own)) - 1})
        hand(version, "followed", "A frame's first bytes follow at once.", section, make(b"\x00" * 16) + b"\x92\x03",
             {"party": "odd", "leftOverBytes": 2})
    for name, raw in (("first-byte", b"\x92"), ("second-byte", b"\x2f\xde"), ("last-byte", b"\x2f\xdf\x1d\x51" + own)):
        hand(1, "bad-magic-" + name, "The magic is another.", "3.1", raw, {"violation": "BAD_MAGIC"})
    other = own[::-1]
    two, zero = b"\x02", b"\x00"
    version_2 = array(two, zero)
    good = {"party": "odd" if own > other else "even"}
    for name, raw in (
            ("extra-elements", array(version_2, binary(other), b"\x05", b"\xa1x")),
            ("extra-in-version", array(array(two, zero, b"\x07", b"\xa3abc"), binary(other))),
            ("extra-in-both", array(array(two, zero, b"\x91\x91\x05"), binary(other), b"\x81\x01\x02")),
            ("minor-9", array(array(two, b"\x09"), binary(other))),
            ("minor-huge", array(array(two, b"\xcf" + b"\xff" * 8), binary(other))),
            ("int-forms", array(array(b"\xd1\x00\x02", b"\xcf" + bytes(8)), binary(other))),
            ("bin16", array(version_2, b"\xc5\x00\x10" + other)),
            ("bin32", array(version_2, b"\xc6\x00\x00\x00\x10" + other)),
            ("array16", b"\xdc\x00\x02" + b"\xdc\x00\x02" + two + zero + binary(other)),
            ("array32", b"\xdd\x00\x00\x00\x02" + b"\xdd\x00\x00\x00\x02" + two + zero + binary(other))):
        hand(2, name, "Another form of a good handshake.", "3.2", raw, good)
    for major in (0, 1, 3, 2**32):
        hand(2, f"major-{major}", "Another major version.", "3.2", array(array(uint(major), zero), binary(other)),
             {"violation": "WRONG_MAJOR_VERSION"})
    for name, raw in (
            ("integer", b"\x05"), ("v1-magic", magic + other), ("empty-array", b"\x90"), ("one-element", b"\x91" + version_2),
            ("version-nil", array(NIL, binary(other))), ("version-integer", array(two, binary(other))),
            ("version-empty", array(array(), binary(other))), ("version-one-element", array(array(two), binary(other))),
            ("major-string", array(array(b"\xa12", zero), binary(other))), ("minor-nil", array(array(two, NIL), binary(other))),
            ("random-15-bytes", array(version_2, binary(other[1:]))), ("random-17-bytes", array(version_2, binary(other + b"\x00"))),
            ("random-string", array(version_2, b"\xb0" + b"a" * 16)), ("random-nil", array(version_2, NIL)),
            ("extra-4-gib", array(version_2, binary(other), b"\xc6\xff\xff\xff\xff")),
            ("extra-17-deep", array(version_2, binary(other), b"\x91" * 16 + b"\x90")),
            ("extra-never-used", array(version_2, binary(other), b"\xc1"))):
        hand(2, "malformed-" + name, "Not of the form [[major, minor], 16 bytes].", "3.2", raw, {"violation": "MALFORMED_HANDSHAKE"})


# ---- conversations

class Talk:
    """The steps of a conversation; ids as `id/source`, seen by the party under test."""

    def __init__(self, version, name, about, spec, party=None, **options):
        self.version, self.name, self.about, self.spec, self.party = version, name, about, spec, party
        self.options = options
        self.steps = []

    def receive(self, *frames, times=None):
        self.steps.append({"receive": b"".join(frames).hex(), **({"times": times} if times else {})})
        return self

    def do(self, verb, channel=None, **rest):
        self.steps.append({"do": verb, **({"channel": channel} if channel else {}), **rest})
        return self

    def sent(self, *frames):
        self.steps.append({"expectSent": b"".join(frames).hex()})
        return self

    def breaks(self, violation, reach="connection"):
        self.steps.append({"expectViolation": violation, "reach": reach})
        self.save()

    def save(self):
        body = {"kind": "conversation"}
        if self.party:
            body["perspective"] = {"party": self.party}
        write(self.version, "spec", "engine-" + self.name, self.about, self.spec,
              {**body, "options": self.options, "steps": self.steps})


def conversations(version):
    qualified = version >= 3
    w = Wire(version)
    peers, ours = (("1/remote", "1/local") if qualified else ("2/remote", "1/local"))
    sizes = {"windowBytes": 4096}

    def talk(name, about, spec, **options):
        return Talk(version, name, about, spec, None if qualified else "odd", **{**sizes, **options})

    def offer(name="x", window=4096, source=1, id_=None):
        return w.frame(0, w.offer_payload(name, window), source, id_)

    def accept(source=-1, window=4096, id_=None):
        return w.frame(1, b"" if version == 1 else array(uint(window)), source, id_)

    def f(code, payload=b"", source=1, id_=None):
        return w.frame(code, payload, source, id_)

    def ours_out(code, payload=b"", of="peers"):
        """A frame that the party under test sends, about the peer's channel or its own."""
        id_ = w.mine if of == "peers" else w.yours
        return w.frame(code, payload, -1 if of == "peers" else 1, id_)

    def number(n):
        return array(uint(n))

    accepted = ours_out(1, b"" if version == 1 else number(4096))
    opened = lambda name, about, spec, **options: (talk(name, about, spec, **options).receive(offer()).do("accept", peers).sent(accepted))
    offered = lambda name, about, spec, **options: (talk(name, about, spec, **options).do("offer", name="x")
                                                   .sent(ours_out(0, w.offer_payload("x"), "ours")))

    high = 9 if qualified else 8
    for code, name in ((1, "acceptance"), (2, "content"), (3, "completion"), (4, "termination")):
        payload = {1: b"" if version == 1 else number(1), 2: b"x"}.get(code, b"")
        talk("unknown-channel-" + name, "The peer has never offered this id.", "4.4").receive(f(code, payload, 1, high)).breaks("UNKNOWN_CHANNEL")
    talk("unknown-channel-of-ours", "We have never offered this id.", "4.4").receive(f(2, b"x", -1, 9)).breaks("UNKNOWN_CHANNEL")
    talk("duplicate-offer", "The id is live: its offer waits.", "4.4").receive(offer(), offer("y")).breaks("DUPLICATE_OFFER")
    opened("duplicate-offer-open", "The id is live: the channel is open.", "4.4").receive(offer("y")).breaks("DUPLICATE_OFFER")
    talk("unexpected-acceptance", "The peer accepts its own offer.", "6.2").receive(offer(), accept(1)).breaks("UNEXPECTED_ACCEPTANCE")
    offered("unexpected-acceptance-twice", "The peer accepts twice.", "6.2").receive(accept(), accept()).breaks("UNEXPECTED_ACCEPTANCE")
    offered("content-before-acceptance", "The accepting party sends content first.", "6.2").receive(f(2, b"x", -1)).breaks(
        "FRAME_BEFORE_ACCEPTANCE")
    offered("completion-before-acceptance", "The accepting party completes first.", "6.2").receive(f(3, b"", -1)).breaks(
        "FRAME_BEFORE_ACCEPTANCE")
    opened("content-after-completion", "Content behind its completion.", "6.4").receive(f(3), f(2, b"x")).breaks("CONTENT_AFTER_COMPLETION")
    opened("completion-twice", "A second completion.", "6.4").receive(f(3), f(3)).breaks("CONTENT_AFTER_COMPLETION")
    talk("early-completion-twice", "The same before acceptance.", "6.4").receive(offer(), f(3), f(3)).breaks("CONTENT_AFTER_COMPLETION")
    talk("early-content-beyond-window", "Content before acceptance, one byte beyond the default window.", "7.5", windowBytes=102_400).receive(
        offer()).receive(f(2, bytes(1024)), times=100).receive(f(2, b"x")).breaks("EARLY_CONTENT_BEYOND_WINDOW", "channel")
    talk("name-too-long", "The offer is rejected; the connection goes on.", "11.1").receive(offer("n" * 1025)).sent(
        ours_out(4)).breaks("NAME_TOO_LONG", "channel")
    talk("unreadable-name", "The offer is rejected; the connection goes on.", "5.1").receive(offer(b"\xff")).sent(
        ours_out(4)).breaks("UNREADABLE_NAME", "channel")
    talk("offer-churn", "An offer rescinded 1,001 times, while no time passes.", "11.4").receive(offer(), f(4), times=1001).breaks("OFFER_CHURN")
    opened("useless-content", "Content without bytes, 10,001 times, while no time passes.", "11.4").receive(f(2), times=10_001).breaks(
        "USELESS_FRAMES")
    unknown = f(42)
    opened("useless-unknown", "Unknown codes, 10,001 times, while no time passes.", "11.4").receive(unknown, times=10_001).breaks(
        "USELESS_FRAMES")
    opened("truncated", "The transport ends inside a frame.", "2.1").receive(f(2, b"xyz")[:-1]).do("transportEnds").breaks("TRUNCATED_FRAME")

    opened("echo", "Content both ways; both complete; we terminate because both have completed.", "6.4").receive(f(2, b"abc")).do(
        "consume", peers, bytes=3).sent().do("send", peers, content=b"abc".hex()).sent(ours_out(2, b"abc")).receive(f(3)).do(
        "completeWriting", peers).sent(ours_out(3), ours_out(4)).receive(f(4)).sent().save()
    opened("terminated-by-peer", "A termination is answered once, and what comes late is ignored.", "6.6").receive(f(4)).sent(
        ours_out(4)).receive(f(4), f(2, b"x"), f(3)).sent().save()
    opened("terminated-by-us", "Behind our termination everything is ignored, the answer too.", "6.6").do("terminate", peers).sent(
        ours_out(4)).receive(f(2, b"x"), f(3), f(4)).sent().save()
    talk("rejected-by-us", "A rejection has no error text.", "6.3").receive(offer()).do("reject", peers).sent(ours_out(4)).receive(
        f(4)).sent().save()
    offered("rejected-by-peer", "A rejection is answered.", "6.3").receive(f(4, b"", -1)).sent(ours_out(4, b"", "ours")).save()
    talk("rescinded-by-peer", "A rescinded offer is answered, once.", "6.3").receive(offer(), f(4)).sent(ours_out(4)).save()
    offered("rescinded-by-us", "An acceptance, and content behind it, that cross our change of mind are ignored.", "6.3").do(
        "terminate", ours).sent(ours_out(4, b"", "ours")).receive(accept(), f(2, b"x", -1), f(4, b"", -1)).sent().save()
    talk("id-again", "A retired id may be offered again.", "4.4").receive(offer(), f(4)).sent(ours_out(4)).receive(offer("y")).do(
        "accept", peers).sent(accepted).save()
    talk("early-content", "Content and completion before acceptance are kept.", "7.5").receive(offer(), f(2, b"abc"), f(3)).do(
        "accept", peers).sent(accepted).do("consume", peers, bytes=3).do("completeWriting", peers).sent(ours_out(3), ours_out(4)).save()
    if version == 1:
        opened("credit-is-unknown", "5 to 8 are unknown codes on v1.", "2.6").receive(f(5, number(9)), f(6), f(7, number(9)), f(8)).sent().save()
        return

    talk("unknown-channel-credit", "The peer has never offered this id.", "4.4").receive(f(5, number(1), 1, high)).breaks("UNKNOWN_CHANNEL")
    offered("credit-before-acceptance", "Credit for what cannot have been sent.", "6.2").receive(f(5, number(1), -1)).breaks(
        "FRAME_BEFORE_ACCEPTANCE")
    opened("credit-beyond-outstanding", "3 bytes were sent, 4 come back.", "7.2").do("send", peers, content=b"abc".hex()).sent(
        ours_out(2, b"abc")).receive(f(5, number(4))).breaks("CREDIT_BEYOND_OUTSTANDING")
    opened("credit-for-nothing", "Nothing was sent.", "7.2").receive(f(5, number(1))).breaks("CREDIT_BEYOND_OUTSTANDING")
    opened("credit-of-0", "Without effect.", "5.6").receive(f(5, number(0))).sent().save()
    opened("content-beyond-window", "4,097 bytes on a window of 4,096.", "7.2").receive(f(2, bytes(4096)), f(2, b"x")).breaks(
        "CONTENT_BEYOND_WINDOW", "channel")
    opened("unreadable-error-text", "The channel ends, and the termination is answered.", "5.5").receive(f(4, array(b"\xa1\xff"))).sent(ours_out(4)).breaks("UNREADABLE_ERROR_TEXT", "channel")
    opened("error-text-too-long", "The channel ends, and the termination is answered.", "11.1").receive(
        f(4, array(string("e" * 4097)))).sent(ours_out(4)).breaks("ERROR_TEXT_TOO_LONG", "channel")

    opened("window-cuts", "Content goes out up to the window of 4,096; the rest follows the credit.", "7.2").do(
        "send", peers, content=(b"\x07" * 4097).hex()).sent(ours_out(2, b"\x07" * 4096), *([ours_out(8)] if version == 4 else [])).receive(
        f(5, number(1))).sent(ours_out(2, b"\x07")).save()
    opened("credit-at-the-window", "A window of 4,096 is acknowledged when the whole of it has been taken.", "7.3").receive(
        f(2, bytes(4096))).do("consume", peers, bytes=4095).sent().do("consume", peers, bytes=1).sent(ours_out(5, number(4096))).save()
    late = ours_out(1, number(102_400))
    talk("credit-at-20480", "A window of 102,400 is acknowledged at 20,480.", "7.3", windowBytes=102_400).receive(offer()).do(
        "accept", peers).sent(late).receive(f(2, bytes(10_240)), times=3).do("consume", peers, bytes=20_479).sent().do(
        "consume", peers, bytes=2).sent(ours_out(5, number(20_481))).save()
    opened("reading-completed-by-peer", "No content is sent any more; by the end of the steps writing is completed.", "6.5").receive(f(6)).do("send", peers, content="78").do(
        "completeWriting", peers).sent(ours_out(3)).save()
    opened("reading-completed-by-us", "What comes afterwards is discarded, and acknowledged.", "6.5").do("completeReading", peers).sent(
        ours_out(6)).receive(f(2, bytes(4096))).sent(ours_out(5, number(4096))).save()

    grows = {"maxWindowBytes": 65_536, "maxTotalGrowthBytes": 50_000}
    opened("growth-granted", "The reader is starved when the request comes: four times the window.", "8.2", **grows).receive(
        f(2, bytes(4096)), f(8)).sent().do("consume", peers, bytes=4096).sent(ours_out(5, number(4096))).do(
        "readerStarved", peers).sent(ours_out(7, number(16_384))).save()
    opened("growth-refused-budget", "The second step is not in the budget: the answer repeats the size.", "8.2", **grows).do(
        "readerStarved", peers).receive(f(8)).sent(ours_out(7, number(16_384))).receive(f(8)).sent(ours_out(7, number(16_384))).save()
    opened("growth-refused-cap", "The cap is the window.", "8.2", maxWindowBytes=4096, maxTotalGrowthBytes=50_000).do(
        "readerStarved", peers).receive(f(8)).sent(ours_out(7, number(4096))).save()
    opened("growth-capped", "The cap lies under four times the window.", "8.2", maxWindowBytes=10_000, maxTotalGrowthBytes=50_000).do(
        "readerStarved", peers).receive(f(8)).sent(ours_out(7, number(10_000))).save()
    opened("growth-merged", "Two requests before the reader is starved: one answer.", "8.2", **grows).receive(f(2, b"x"), f(8), f(8)).do(
        "consume", peers, bytes=1).sent().do("readerStarved", peers).sent(ours_out(7, number(16_384))).save()
    opened("growth-unasked", "An adjustment that nobody asked for, upwards: a grant. At or below the size: ignored.", "8.2").receive(
        f(7, number(5000)), f(7, number(5000)), f(7, number(10))).do("send", peers, content=(b"\x07" * 5000).hex()).sent(
        ours_out(2, b"\x07" * 5000)).save()
    opened("growth-lapses-with-writing", "The peer has completed its writing: its request has nobody to serve, before or after.", "8.2",
           **grows).receive(f(8), f(3)).do("readerStarved", peers).receive(f(8)).sent().save()
    opened("growth-lapses-with-reading", "We have completed our reading: a request is not answered any more.", "6.5", **grows).do(
        "readerStarved", peers).do("completeReading", peers).sent(ours_out(6)).receive(f(8)).sent().save()
    talk("growth-early", "A request that came before the acceptance is answered behind it.", "7.5", **grows).receive(offer(), f(8)).do(
        "accept", peers).sent(accepted).do("readerStarved", peers).sent(ours_out(7, number(16_384))).save()
    once = {"maxWindowBytes": 65_536, "maxTotalGrowthBytes": 12_288}
    opened("growth-budget-returns", "What a channel's growth took is there again when it is retired.", "8.3", **once).do(
        "readerStarved", peers).receive(f(8)).sent(ours_out(7, number(16_384))).receive(f(4)).sent(ours_out(4)).receive(offer("y")).do(
        "accept", peers).sent(accepted).do("readerStarved", peers).receive(f(8)).sent(ours_out(7, number(16_384))).save()
    talk("early-content-counts", "What came before the acceptance counts against the window.", "7.5").receive(
        offer(), f(2, bytes(4096))).do("accept", peers).sent(accepted).receive(f(2, b"x")).breaks("CONTENT_BEYOND_WINDOW", "channel")
    if version == 4:
        opened("growth-late-stall", "Credit is used up to the byte: no stall, until there is more to send.", "8.1").do(
            "send", peers, content=(b"\x07" * 4096).hex()).sent(ours_out(2, b"\x07" * 4096)).do("send", peers, content="07").sent(
            ours_out(8)).save()
        stalls = opened("growth-back-off", "After one refusal the second stall asks, not the first.", "8.1")
        content = lambda n: ours_out(2, b"\x07" * n)
        stalls.do("send", peers, content=(b"\x07" * (4096 * 3 + 1)).hex()).sent(content(4096), ours_out(8))
        # The refusal comes first, so that it does not matter whether credit is used up before what lies behind it is looked at.
        stalls.receive(f(7, number(4096)), f(5, number(4096))).sent(content(4096))
        stalls.receive(f(5, number(4096))).sent(content(4096), ours_out(8))
        stalls.receive(f(5, number(4096)), f(7, number(16_384))).sent(content(1)).save()
    if qualified:
        talk("unknown-channel-0", "Before the peer's first offer every id is one that it has never used, 0 too.", "4.4").receive(
            f(4, b"", 1, 0)).breaks("UNKNOWN_CHANNEL")
        seeded = lambda name, about, spec: talk(name, about, spec, seededChannels=2)
        seeded("seeded", "A seeded channel is open from the start; its frames have the source 0.", "6.8").do(
            "send", "0/seeded", content="7879").sent(w.frame(2, b"xy", 0, 0)).receive(f(2, b"ab", 0, 1), f(4, b"", 0, 1)).sent(
            w.frame(4, b"", 0, 1)).save()
        seeded("seeded-numbers", "Beside two seeded channels own offers begin at 3.", "4.4").do("offer", name="x").sent(
            w.frame(0, w.offer_payload("x"), 1, 3)).save()
        seeded("unknown-channel-seeded", "There is no third seeded channel.", "4.4").receive(f(2, b"x", 0, 2)).breaks("UNKNOWN_CHANNEL")
        talk("same-number-both-sides", "Channel 1 of the peer and channel 1 of ours.", "4.2").receive(offer()).do("offer", name="x").do(
            "accept", peers).sent(ours_out(0, w.offer_payload("x"), "ours"), accepted).receive(accept(), f(2, b"a", 1), f(2, b"b", -1)).do(
            "send", ours, content="63").do("send", peers, content="64").sent(ours_out(2, b"c", "ours"), ours_out(2, b"d")).save()


# ---- cut from the recordings

def dotnet():
    for path in sorted(TRACES.glob("v*-*.json")):
        trace = json.loads(path.read_text(encoding="utf-8"))
        version = trace["version"]
        hello = {1: 20, 2: 22}.get(version, 0)
        pieces = {"a": [], "b": []}
        for line in trace["writes"]:
            who, raw = line.split(" ")
            pieces[who].append(bytes.fromhex(raw))
        if hello and trace["name"] == "handshake":
            for who, other in (("a", "b"), ("b", "a")):
                mine, theirs = b"".join(pieces[other])[hello - 16:hello], b"".join(pieces[who])[:hello]
                write(version, "dotnet", f"handshake-{who}", trace["about"], f"3.{version}",
                      {"kind": "handshake", "ownRandom": mine.hex(), "bytes": theirs.hex(),
                       "expect": {"party": "odd" if mine > theirs[-16:] else "even"}})
        for who, other in (("a", "b"), ("b", "a")):
            direction(trace, version, who, hello, b"".join(pieces[who]), b"".join(pieces[other])[hello - 16:hello], pieces[who])


def direction(trace, version, who, hello, raw, reader_random, pieces):
    reader = None if not hello else ("odd" if reader_random > raw[hello - 16:hello] else "even")
    body = raw[hello:]
    frames, at = [], 0
    for line in [x for x in trace["frames-" + who] if not x.startswith("handshake")]:
        size, frame = recorded(version, line, body, at, reader)
        if at + size > LONGEST_DOTNET_BYTES:
            break
        frames.append(frame)
        at += size
    if not frames:
        return
    chunks, start = [], -hello
    for piece in pieces:
        end = min(start + len(piece), at)
        if end > max(start, 0):
            chunks.append(end - max(start, 0))
        start += len(piece)
    vector = {} if not reader else {"perspective": {"party": reader}}
    vector.update(bytes=body[:at].hex(), chunks=chunks, expect={"frames": frames}, canonical=True)
    whole = "" if at == len(body) else " The first frames of it."
    for as_version in [version] + ([4] if version == 3 and "growth" in trace["name"] else []):
        write(as_version, "dotnet", f"{trace['name']}-{who}", f"{trace['about']} What {who} sent.{whole}", f"2.{min(version, 3)}", vector)


def recorded(version, line, body, at, reader):
    """One frame as the recording lists it, and its length; the payload's bytes are taken from the recording's bytes."""
    name, channel, *rest = line.split(" ", 2)
    code = {"WindowAdjust": 7, "GrowthRequest": 8, "ReadingCompleted": 6}.get(name)
    code = CODES.index(name) if code is None else code
    rest = rest[0] if rest else "-"
    id_text, _, source_text = channel.partition("/")
    id_ = int(id_text)
    if version >= 3:
        source = SOURCES[int(source_text)]
    else:
        source = "local" if (id_ % 2 == 1) == (reader == "odd") else "remote"
    frame = view(CODES[code], id_, source)
    wire = Wire(version)
    if code == 2:
        length = int(rest.split(" ")[0])
        head = wire.frame(2, bytes(length), int(source_text) if source_text else 1, id_)
        start = at + len(head) - length
        return len(head), {**frame, "payload": body[start:start + length].hex()}
    if version == 1:
        payload = bytes.fromhex(rest) if rest != "-" else b""
        fields = {0: {"name": payload.decode(), "windowBytes": None}, 1: {"windowBytes": None}, 4: {"errorText": None}}.get(code, {})
    else:
        values = json.loads(rest) if rest.startswith("[") else []
        payload = array(*(string(x) if isinstance(x, str) else uint(x) for x in values)) if rest.startswith("[") else b""
        fields = {0: lambda: {"name": values[0], "windowBytes": values[1]}, 1: lambda: {"windowBytes": values[0]},
                  4: lambda: {"errorText": values[0] if values else None}, 5: lambda: {"bytes": values[0]},
                  7: lambda: {"windowBytes": values[0]}}.get(code, dict)()
    head = wire.frame(code, payload, int(source_text) if source_text else 1, id_)
    if body[at:at + len(head)] != head:
        raise ValueError(f"{line}: {head.hex()} is not what was recorded")
    return len(head), {**frame, **fields}


def main():
    v1()
    for version in (2, 3, 4):
        msgpack(version)
    handshakes()
    for version in (1, 2, 3, 4):
        conversations(version)
    dotnet()


main()
