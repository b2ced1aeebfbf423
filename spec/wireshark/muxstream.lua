-- Shows the frames of a MultiplexingStream connection, versions 1 to 4, in Wireshark and tshark.
-- How to install and use it is told in README.md beside this file; "§" is a section of ../protocol.md.
--
-- The way of a packet: dissect() takes one frame after the other from the bytes that TCP gives. A read function returns what it has
-- read and the offset behind it; or nil and why not, which is MORE where the bytes at hand end too soon, or else a fault.

local muxstream = Proto("muxstream", "MultiplexingStream")

-- ---- Fields

local NAMES = {
    [0] = "Offer",
    [1] = "OfferAccepted",
    [2] = "Content",
    [3] = "ContentWritingCompleted",
    [4] = "ChannelTerminated",
    [5] = "ContentProcessed",
    [6] = "ContentReadingCompleted",
    [7] = "ChannelWindowAdjust",
    [8] = "ChannelWindowGrowthRequest",
}
local OFFER, ACCEPTED, CONTENT, TERMINATED, PROCESSED, ADJUST = 0, 1, 2, 4, 5, 7
local SOURCES = { [1] = "offered by the sender of this frame", [0] = "seeded", [-1] = "offered by its reader" }

local field = {
    version = ProtoField.string("muxstream.version", "Version"),
    handshake = ProtoField.none("muxstream.handshake", "Handshake"),
    magic = ProtoField.uint32("muxstream.handshake.magic", "Magic", base.HEX),
    major = ProtoField.uint64("muxstream.handshake.major", "Major version"),
    minor = ProtoField.uint64("muxstream.handshake.minor", "Minor version"),
    random = ProtoField.bytes("muxstream.handshake.random", "Random bytes"),
    frame = ProtoField.none("muxstream.frame", "Frame"),
    frame_length = ProtoField.uint32("muxstream.frame_length", "Frame length", base.DEC, nil, nil, "bytes, with the header"),
    code = ProtoField.uint64("muxstream.code", "Control code"),
    channel = ProtoField.uint64("muxstream.channel", "Channel"),
    source = ProtoField.int8("muxstream.source", "Source", base.DEC, SOURCES, nil, "as the frame's sender sees it"),
    length = ProtoField.uint32("muxstream.length", "Payload length", base.DEC, nil, nil, "bytes"),
    name = ProtoField.string("muxstream.offer.name", "Name", base.UNICODE),
    window = ProtoField.uint64("muxstream.window", "Window", base.DEC, nil, nil, "bytes"),
    acknowledged = ProtoField.uint64("muxstream.acknowledged", "Acknowledged", base.DEC, nil, nil, "bytes"),
    error = ProtoField.string("muxstream.error", "Error text", base.UNICODE),
    content = ProtoField.bytes("muxstream.content", "Content"),
    payload = ProtoField.bytes("muxstream.payload", "Payload that is not looked into"),
    undecoded = ProtoField.bytes("muxstream.undecoded", "Bytes that are not decoded"),
}
muxstream.fields = field

local mark = {
    malformed = ProtoExpert.new("muxstream.malformed", "Violation that ends the connection", expert.group.MALFORMED,
        expert.severity.ERROR),
    fault = ProtoExpert.new("muxstream.fault", "Violation that ends the channel", expert.group.PROTOCOL,
        expert.severity.WARN),
    large = ProtoExpert.new("muxstream.large", "More content than the default limit of a frame (§11.1)", expert.group.PROTOCOL,
        expert.severity.WARN),
    unknown = ProtoExpert.new("muxstream.unknown", "Unknown control code (§2.6)", expert.group.PROTOCOL, expert.severity.NOTE),
    behind = ProtoExpert.new("muxstream.behind", "Bytes behind what could not be decoded", expert.group.UNDECODED,
        expert.severity.NOTE),
    missing = ProtoExpert.new("muxstream.missing", "Bytes are missing from the capture", expert.group.UNDECODED,
        expert.severity.WARN),
}
muxstream.experts = { mark.malformed, mark.fault, mark.large, mark.unknown, mark.behind, mark.missing }

-- ---- Preferences

local AUTO = 0
muxstream.prefs.tcp_ports = Pref.range("TCP ports", "", "Connections of these ports are dissected, such as 4000,5000-5010", 65535)
muxstream.prefs.version = Pref.enum("Version", AUTO,
    "Auto: a handshake tells 1 and 2; without one the first frame tells 1, 2, or one of 3 and 4, whose frames are the same bytes", {
        { "auto", "auto", AUTO }, { "1", "1", 1 }, { "2", "2", 2 }, { "3", "3", 3 }, { "4", "4", 4 },
    }, false)

local tcp_table = DissectorTable.get("tcp.port")
local tcp_ports = ""

function muxstream.prefs_changed()
    local wanted = muxstream.prefs.tcp_ports or ""
    if wanted == tcp_ports then
        return
    end
    if tcp_ports ~= "" then
        tcp_table:remove(tcp_ports, muxstream)
    end
    if wanted ~= "" then
        tcp_table:add(wanted, muxstream)
    end
    tcp_ports = wanted
end

-- ---- Limits (§11.1)

local MAX_PAYLOAD = 65535
local USUAL_CONTENT = 20480
local MAX_NAME = 1024
local MAX_ERROR_TEXT = 4096
local MAX_V2_HANDSHAKE = 1024
local MAX_NESTING = 16
local SHOWN_NAME = 60

-- ---- MessagePack (§2.4)

local MORE = {}

local function fault(violation, section, text)
    return { violation = violation, text = violation .. " (spec §" .. section .. "): " .. text }
end

local INTEGER_BYTES = {
    [0xcc] = 2, [0xcd] = 3, [0xce] = 5, [0xcf] = 9, [0xd0] = 2, [0xd1] = 3, [0xd2] = 5, [0xd3] = 9,
}
-- By how much a negative integer of so many bytes is less than what its bits say.
local WRAP = { [2] = 0x100, [3] = 0x10000, [5] = 0x100000000 }
local NIL = 0xc0

-- How the header of a kind of value begins: forms without a count of their own, and how many bytes the count has in the others.
local ARRAY = { what = "an array", from = 0x90, to = 0x9f, mask = 0x0f, count = { [0xdc] = 2, [0xdd] = 4 } }
local STR = { what = "a str", from = 0xa0, to = 0xbf, mask = 0x1f, count = { [0xd9] = 1, [0xda] = 2, [0xdb] = 4 } }
local BIN = { what = "a bin", from = 1, to = 0, mask = 0, count = { [0xc4] = 1, [0xc5] = 2, [0xc6] = 4 } }

local function byte_at(tvb, at)
    return tvb(at, 1):uint()
end

local function unexpected(what, prefix)
    return fault("MALFORMED_FRAME", "2.3", string.format("expected %s, got a value that begins with %02x", what, prefix))
end

-- An integer of any form: { hi, lo } of 32 bits each, in two's complement where it is negative.
local function read_integer(tvb, at, limit, what)
    if at >= limit then
        return nil, MORE
    end
    local prefix = byte_at(tvb, at)
    if prefix <= 0x7f then
        return { hi = 0, lo = prefix, negative = false }, at + 1
    elseif prefix >= 0xe0 then
        return { hi = 0xffffffff, lo = 0xffffff00 + prefix, negative = true }, at + 1
    end
    local bytes = INTEGER_BYTES[prefix]
    if bytes == nil then
        return nil, unexpected(what .. " (an integer)", prefix)
    elseif at + bytes > limit then
        return nil, MORE
    end
    local behind = at + bytes
    local negative = prefix >= 0xd0 and byte_at(tvb, at + 1) >= 0x80
    if bytes == 9 then
        return { hi = tvb(at + 1, 4):uint(), lo = tvb(at + 5, 4):uint(), negative = negative }, behind
    end
    local lo = tvb(at + 1, bytes - 1):uint()
    if negative then
        return { hi = 0xffffffff, lo = lo - WRAP[bytes] + 0x100000000, negative = true }, behind
    end
    return { hi = 0, lo = lo, negative = false }, behind
end

local function read_unsigned(tvb, at, limit, what)
    local value, behind = read_integer(tvb, at, limit, what)
    if value and value.negative then
        return nil, fault("MALFORMED_FRAME", "2.3", "expected " .. what .. " of at least 0, got a negative integer")
    end
    return value, behind
end

local function uint64(value)
    return UInt64.new(value.lo, value.hi)
end

local function is(value, number)
    return value.hi == 0 and value.lo == number
end

-- The number in decimal, as text.
local function text_of(value)
    return tostring(uint64(value))
end

-- The count of an array, or the length of a str or bin.
local function read_count(tvb, at, limit, kind, what)
    if at >= limit then
        return nil, MORE
    end
    local prefix = byte_at(tvb, at)
    if prefix >= kind.from and prefix <= kind.to then
        return prefix % (kind.mask + 1), at + 1
    end
    local bytes = kind.count[prefix]
    if bytes == nil then
        return nil, unexpected(what .. " (" .. kind.what .. ")", prefix)
    elseif at + 1 + bytes > limit then
        return nil, MORE
    end
    return tvb(at + 1, bytes):uint(), at + 1 + bytes
end

-- Scalars and ext: bytes behind the prefix.
local SKIPPED = {
    [0xc0] = 0, [0xc2] = 0, [0xc3] = 0, [0xca] = 4, [0xcb] = 8, [0xcc] = 1, [0xcd] = 2, [0xce] = 4, [0xcf] = 8, [0xd0] = 1,
    [0xd1] = 2, [0xd2] = 4, [0xd3] = 8, [0xd4] = 2, [0xd5] = 3, [0xd6] = 5, [0xd7] = 9, [0xd8] = 17,
}
-- What has a count: bytes of the count, elements or bytes for each counted, bytes beside.
local COUNTED = {
    [0xc4] = { 1, 1, 0 }, [0xc5] = { 2, 1, 0 }, [0xc6] = { 4, 1, 0 }, [0xc7] = { 1, 1, 1 }, [0xc8] = { 2, 1, 1 },
    [0xc9] = { 4, 1, 1 }, [0xd9] = { 1, 1, 0 }, [0xda] = { 2, 1, 0 }, [0xdb] = { 4, 1, 0 },
}
local NESTS = { [0xdc] = { 2, 1 }, [0xdd] = { 4, 1 }, [0xde] = { 2, 2 }, [0xdf] = { 4, 2 } }

-- Skips a value that nobody looks into; returns the offset behind it, or nil and MORE, or nil and nothing where it is none.
local function skip(tvb, at, limit, nesting)
    if at >= limit then
        return nil, MORE
    end
    local prefix = byte_at(tvb, at)
    local elements, behind
    if prefix <= 0x7f or prefix >= 0xe0 then
        return at + 1
    elseif prefix <= 0x8f then
        elements, behind = 2 * (prefix % 16), at + 1
    elseif prefix <= 0x9f then
        elements, behind = prefix % 16, at + 1
    elseif prefix <= 0xbf then
        behind = at + 1 + prefix % 32
    elseif SKIPPED[prefix] then
        behind = at + 1 + SKIPPED[prefix]
    elseif COUNTED[prefix] or NESTS[prefix] then
        local form = COUNTED[prefix] or NESTS[prefix]
        if at + 1 + form[1] > limit then
            return nil, MORE
        end
        local count = tvb(at + 1, form[1]):uint() * form[2]
        behind = at + 1 + form[1]
        if NESTS[prefix] then
            elements = count
        else
            behind = behind + form[3] + count
        end
    else
        return nil
    end
    if elements then
        if nesting == 0 then
            return nil
        end
        -- Each element takes a byte at least, so this ends with the bytes at hand.
        for _ = 1, elements do
            local problem
            behind, problem = skip(tvb, behind, limit, nesting - 1)
            if not behind then
                return nil, problem
            end
        end
    end
    if behind > limit then
        return nil, MORE
    end
    return behind
end

-- Whether a string of bytes is UTF-8: no lone continuation, no longer form than needed, no surrogate, nothing above 10ffff.
local function is_utf8(text)
    local at = 1
    while at <= #text do
        local first, second = text:byte(at, at + 1)
        local more
        if first <= 0x7f then
            more = 0
        elseif first >= 0xc2 and first <= 0xdf then
            more = 1
        elseif first >= 0xe0 and first <= 0xef then
            more = 2
        elseif first >= 0xf0 and first <= 0xf4 then
            more = 3
        else
            return false
        end
        if more > 0 then
            local lowest = first == 0xe0 and 0xa0 or first == 0xf0 and 0x90 or 0x80
            local highest = first == 0xed and 0x9f or first == 0xf4 and 0x8f or 0xbf
            if not second or second < lowest or second > highest then
                return false
            end
        end
        for i = 2, more do
            local continuation = text:byte(at + i)
            if not continuation or continuation < 0x80 or continuation > 0xbf then
                return false
            end
        end
        at = at + more + 1
    end
    return true
end

-- ---- Connections
-- What was found out when the packets were gone through in order, and must hold when a packet is shown again later.

local tcp_stream = Field.new("tcp.stream")
local connections = {}

function muxstream.init()
    connections = {}
end

local function end_name(address, port)
    return tostring(address) .. " " .. tostring(port)
end

-- A packet's connection, its direction, and the other direction. Of a connection: `version`, once it is found, and `handshakes`, whether
-- one was seen. Of a direction: `handshake`, a position; `random`, its bytes; `first_offer_is_odd`; `broken`, the position of the bytes
-- that could no longer be decoded.
local function directions_of(pinfo)
    local streams = { tcp_stream() }
    local from, to = end_name(pinfo.src, pinfo.src_port), end_name(pinfo.dst, pinfo.dst_port)
    local key = #streams > 0 and tostring(streams[#streams].value) or (from < to and from .. to or to .. from)
    local connection = connections[key]
    if not connection then
        connection = { directions = {} }
        connections[key] = connection
    end
    for _, name in ipairs({ from, to }) do
        if not connection.directions[name] then
            connection.directions[name] = {}
        end
    end
    return connection, connection.directions[from], connection.directions[to]
end

-- Where bytes stand: the packet; where in it begins what TCP gives us at once, which can be more than one piece of it, one behind the
-- other, and first of all, with 0, what was put together with earlier packets; and the offset in that.
local function position_of(tvb, pinfo, at)
    return { pinfo.number, tvb:offset(), at }
end

local function is_before(one, other)
    for i = 1, 3 do
        if one[i] ~= other[i] then
            return one[i] < other[i]
        end
    end
    return false
end

-- ---- Handshakes (§3)

local V1_MAGIC = { 0x2f, 0xdf, 0x1d, 0x50 }
local RANDOM_BYTES = 16

local function read_v1_handshake(tvb, start, limit)
    for i, expected in ipairs(V1_MAGIC) do
        if start + i > limit then
            return nil, MORE
        end
        if byte_at(tvb, start + i - 1) ~= expected then
            return nil, fault("BAD_MAGIC", "3.1", "expected 2f df 1d 50")
        end
    end
    local behind = start + 4 + RANDOM_BYTES
    if behind > limit then
        return nil, MORE
    end
    return { version = 1, random_at = start + 4 }, behind
end

local function bad_handshake(problem, what)
    return problem == MORE and MORE or fault("MALFORMED_HANDSHAKE", "3.2", "expected " .. what)
end

local function skip_elements(tvb, at, limit, count)
    for _ = 1, count do
        local behind, problem = skip(tvb, at, limit, MAX_NESTING)
        if not behind then
            return nil, bad_handshake(problem, "further elements that are MessagePack")
        end
        at = behind
    end
    return at
end

local function read_v2_elements(tvb, start, limit)
    local found = { version = 2 }
    local outer, inner, length, problem
    local at
    outer, at = read_count(tvb, start, limit, ARRAY, "")
    if not outer then
        return nil, bad_handshake(at, "an array of version and random bytes")
    elseif outer < 2 then
        return nil, bad_handshake(nil, "an array of at least two elements")
    end
    inner, at = read_count(tvb, at, limit, ARRAY, "")
    if not inner then
        return nil, bad_handshake(at, "an array of major and minor version")
    elseif inner < 2 then
        return nil, bad_handshake(nil, "a version of at least two elements")
    end
    for _, name in ipairs({ "major", "minor" }) do
        local value, behind = read_integer(tvb, at, limit, "")
        if not value then
            return nil, bad_handshake(behind, "a " .. name .. " version")
        end
        found[name] = { value = value, at = at, length = behind - at }
        at = behind
        if name == "major" and (value.negative or not is(value, 2)) then
            return nil, fault("WRONG_MAJOR_VERSION", "3.2", "expected the major version 2")
        end
    end
    at, problem = skip_elements(tvb, at, limit, inner - 2)
    if not at then
        return nil, problem
    end
    length, at = read_count(tvb, at, limit, BIN, "")
    if not length then
        return nil, bad_handshake(at, "a bin of random bytes")
    elseif length ~= RANDOM_BYTES then
        return nil, bad_handshake(nil, "16 random bytes, got " .. length)
    elseif at + length > limit then
        return nil, MORE
    end
    found.random_at = at
    at, problem = skip_elements(tvb, at + length, limit, outer - 2)
    if not at then
        return nil, problem
    end
    return found, at
end

local function read_v2_handshake(tvb, start, limit)
    local found, behind = read_v2_elements(tvb, start, math.min(limit, start + MAX_V2_HANDSHAKE))
    if not found and behind == MORE and limit - start >= MAX_V2_HANDSHAKE then
        return nil, fault("MALFORMED_HANDSHAKE", "3.2", "expected a handshake of at most 1,024 bytes")
    end
    return found, behind
end

-- ---- Frames (§2)

local function read_v1_frame(tvb, start, limit)
    if start + 7 > limit then
        return nil, MORE
    end
    local length = tvb(start + 5, 2):uint()
    return {
        version = 1,
        code = { hi = 0, lo = byte_at(tvb, start) },
        code_at = start,
        code_length = 1,
        id = { hi = 0, lo = tvb(start + 1, 4):uint() },
        id_at = start + 1,
        id_length = 4,
        payload_at = start + 7,
        payload_length = length,
    }, start + 7 + length
end

-- Elements between code and payload: id, and on v3 and v4 the source (§2.3).
local function read_identity(tvb, at, limit, frame, elements)
    if at >= limit then
        return nil, MORE
    end
    local qualified = frame.version ~= 2
    if byte_at(tvb, at) == NIL then
        if not qualified or elements == 1 then
            return at + 1
        elseif at + 1 >= limit then
            return nil, MORE
        elseif byte_at(tvb, at + 1) ~= NIL then
            return nil, fault("MALFORMED_FRAME", "2.3", "expected nil as the source of a channel whose id is nil")
        end
        return at + 2
    end
    local id, behind = read_unsigned(tvb, at, limit, "a channel id")
    if not id then
        return nil, behind
    end
    frame.id, frame.id_at, frame.id_length = id, at, behind - at
    if not qualified then
        return behind
    elseif elements == 1 then
        return nil, fault("MALFORMED_FRAME", "2.3", "expected a channel's source behind its id, got an array of 2 elements")
    end
    local source, behind_source = read_integer(tvb, behind, limit, "a channel's source")
    if not source then
        return nil, behind_source
    end
    frame.source, frame.source_at, frame.source_length = source, behind, behind_source - behind
    return behind_source
end

-- Version 2, or for any other number one of 3 and 4. The offset behind the frame may lie beyond the bytes at hand.
local function read_msgpack_frame(tvb, start, limit, version)
    local most = version == 2 and 3 or 4
    local frame = { version = version, payload_length = 0 }
    local elements, at = read_count(tvb, start, limit, ARRAY, "a frame")
    if not elements then
        return nil, at
    elseif elements < 1 or elements > most then
        return nil, fault("MALFORMED_FRAME", "2.3", "expected an array of 1 to " .. most .. " elements, got " .. elements)
    end
    frame.code_at = at
    frame.code, at = read_unsigned(tvb, at, limit, "a control code")
    if not frame.code then
        return nil, at
    end
    frame.code_length = at - frame.code_at
    local has_payload = elements == most
    if elements > 1 then
        local behind, problem = read_identity(tvb, at, limit, frame, has_payload and most - 2 or elements - 1)
        if not behind then
            return nil, problem
        end
        at = behind
    end
    if has_payload then
        local length, behind = read_count(tvb, at, limit, BIN, "a payload")
        if not length then
            return nil, behind
        elseif length > MAX_PAYLOAD then
            return nil, fault("FRAME_TOO_LARGE", "11.1", "expected a payload of at most 65,535 bytes, got " .. length)
        end
        frame.payload_length = length
        at = behind
    end
    frame.payload_at = at
    return frame, at + frame.payload_length
end

local function read_frame(tvb, start, limit, version)
    if version == 1 then
        return read_v1_frame(tvb, start, limit)
    end
    return read_msgpack_frame(tvb, start, limit, version)
end

local function name_of(frame)
    local code = frame.code
    local known = code.hi == 0 and NAMES[code.lo] or nil
    return not (frame.version == 1 and code.lo > TERMINATED) and known or nil
end

-- What is wrong with a whole frame before its payload is looked at (§2.3, §4); nil: nothing.
local function identity_fault(frame, offers_are_odd)
    local name = name_of(frame)
    local id, source = frame.id, frame.source
    if not id then
        return name and fault("MISSING_CHANNEL_ID", "2.3", "expected " .. name .. " to name a channel") or nil
    end
    if not source then
        if id.hi ~= 0 or id.lo == 0 then
            return fault("INVALID_CHANNEL_ID", "4.1", "expected a channel id from 1 to 4294967295, got " .. text_of(id))
        elseif is(frame.code, OFFER) and offers_are_odd ~= nil and (id.lo % 2 == 1) ~= offers_are_odd then
            return fault("INVALID_CHANNEL_ID", "4.1", "expected an Offer with an "
                .. (offers_are_odd and "odd" or "even") .. " channel id, as its sender's are, got " .. text_of(id))
        end
        return nil
    end
    local number
    if source.negative then
        number = source.hi == 0xffffffff and source.lo == 0xffffffff and -1 or nil
    else
        number = source.hi == 0 and source.lo <= 1 and source.lo or nil
    end
    if not number then
        return fault("INVALID_CHANNEL_SOURCE", "4.2", "expected 1, 0 or -1 as the source")
    elseif is(frame.code, OFFER) and number ~= 1 then
        return fault("INVALID_CHANNEL_SOURCE", "4.2", "expected 1 as the source of an Offer, got " .. number)
    elseif is(frame.code, ACCEPTED) and number == 0 then
        return fault("INVALID_CHANNEL_SOURCE", "4.2", "expected 1 or -1 as the source of an OfferAccepted, got 0")
    end
    frame.source_number = number
    return nil
end

-- ---- Payloads (§5): each returns a fault or nil, and what to say of it in the summary

local function bad_payload(what)
    return fault("MALFORMED_PAYLOAD", "5.1", "expected " .. what .. " in the payload")
end

local function skip_rest(tvb, at, limit, count)
    for _ = 1, count do
        at = skip(tvb, at, limit, MAX_NESTING)
        if not at then
            return bad_payload("further elements that are MessagePack and lie within it")
        end
    end
    return nil
end

local function quoted(text)
    text = text:gsub("[%c\"\\]", function(sign)
        return string.format("\\x%02x", sign:byte())
    end)
    return '"' .. (#text > SHOWN_NAME and text:sub(1, SHOWN_NAME) .. "..." or text) .. '"'
end

local function add_name(tree, tvb, at, length)
    local item = tree:add_packet_field(field.name, tvb(at, length), ENC_UTF_8 + ENC_NA)
    if length > MAX_NAME then
        item:add_proto_expert_info(mark.fault, "NAME_TOO_LONG (spec §11.1): expected at most 1,024 bytes, got " .. length)
    elseif not is_utf8(tvb:raw(at, length)) then
        item:add_proto_expert_info(mark.fault, "UNREADABLE_NAME (spec §5.1): expected UTF-8")
    else
        return " " .. quoted(tvb:raw(at, length))
    end
    return " (a name that is refused)"
end

-- A number that must be there, and must not be above a highest one.
local function add_number(tree, tvb, at, limit, kind, what, highest, too_high)
    local value, behind = read_unsigned(tvb, at, limit, what)
    if not value then
        return nil, bad_payload(what .. " of at least 0")
    end
    tree:add(kind, tvb(at, behind - at), uint64(value))
    if value.hi > highest.hi or (value.hi == highest.hi and value.lo > highest.lo) then
        return nil, too_high
    end
    return behind, text_of(value)
end

local WINDOW = { hi = 0x40000000, lo = 0 }
local CREDIT = { hi = 0x7fffffff, lo = 0xffffffff }
local WINDOW_TOO_HIGH = fault("WINDOW_OUT_OF_RANGE", "7.1", "expected a window of at most 2^62")
local CREDIT_TOO_HIGH = fault("CREDIT_BEYOND_OUTSTANDING", "7.2", "expected credit for at most 2^63-1 bytes")

local function add_array(tvb, at, limit)
    local count, behind = read_count(tvb, at, limit, ARRAY, "")
    if not count then
        return nil, bad_payload("an array")
    end
    return count, behind
end

local function add_offer(tree, tvb, at, limit)
    local count, behind = add_array(tvb, at, limit)
    if not count then
        return behind
    end
    local length
    length, at = read_count(tvb, behind, limit, STR, "")
    if count == 0 or not length or at + length > limit then
        return bad_payload("a name (a str) first")
    end
    local summary = add_name(tree, tvb, at, length)
    local rest, window = at + length, nil
    if count > 1 then
        rest, window = add_number(tree, tvb, rest, limit, field.window, "a window", WINDOW, WINDOW_TOO_HIGH)
        if not rest then
            return window
        end
    end
    local wrong = skip_rest(tvb, rest, limit, count - 2)
    if wrong then
        return wrong
    end
    return nil, summary .. (window and " window " .. window or "")
end

-- [number, ...] as the payload of OfferAccepted, ContentProcessed and ChannelWindowAdjust.
local function add_numbers(tree, tvb, at, limit, kind, what, highest, too_high, optional)
    if optional and at == limit then
        return nil, ""
    end
    local count, behind = add_array(tvb, at, limit)
    if not count then
        return behind
    elseif count == 0 then
        return not optional and bad_payload(what) or nil, ""
    end
    local rest, text = add_number(tree, tvb, behind, limit, kind, what, highest, too_high)
    if not rest then
        return text
    end
    return skip_rest(tvb, rest, limit, count - 1), " " .. what:gsub("^an? ", "") .. " " .. text
end

local function add_error_text(tree, tvb, at, limit)
    if at == limit then
        return nil, ""
    end
    local unreadable = "UNREADABLE_ERROR_TEXT (spec §5.5): expected an array whose first element is a str of UTF-8"
    local count, behind = add_array(tvb, at, limit)
    if count == 0 or (count == 1 and behind < limit and byte_at(tvb, behind) == NIL) then
        return nil, ""
    end
    local length
    if count then
        length, behind = read_count(tvb, behind, limit, STR, "")
    end
    if not length or behind + length > limit then
        tree:add(field.payload, tvb(at, limit - at)):add_proto_expert_info(mark.fault, unreadable)
        return nil, " (an error text that can't be read)"
    end
    local item = tree:add_packet_field(field.error, tvb(behind, length), ENC_UTF_8 + ENC_NA)
    local text = tvb:raw(behind, length)
    if length > MAX_ERROR_TEXT then
        item:add_proto_expert_info(mark.fault, "ERROR_TEXT_TOO_LONG (spec §11.1): expected at most 4,096 bytes, got " .. length)
    elseif not is_utf8(text) then
        item:add_proto_expert_info(mark.fault, unreadable)
        return nil, " (an error text that can't be read)"
    end
    return nil, " error " .. quoted(text)
end

local function add_payload(tree, tvb, frame)
    local at, length = frame.payload_at, frame.payload_length
    local limit = at + length
    local name = name_of(frame)
    local code = name and frame.code.lo or nil
    if code == CONTENT then
        if length > 0 then
            local item = tree:add(field.content, tvb(at, length))
            if length > USUAL_CONTENT then
                item:add_proto_expert_info(mark.large)
            end
        end
        return nil, " " .. length .. " bytes"
    elseif code == OFFER and frame.version == 1 then
        return nil, add_name(tree, tvb, at, length)
    elseif code == OFFER then
        return add_offer(tree, tvb, at, limit)
    elseif code == ACCEPTED and frame.version ~= 1 then
        return add_numbers(tree, tvb, at, limit, field.window, "a window", WINDOW, WINDOW_TOO_HIGH, true)
    elseif code == TERMINATED and frame.version ~= 1 then
        return add_error_text(tree, tvb, at, limit)
    elseif code == PROCESSED then
        return add_numbers(tree, tvb, at, limit, field.acknowledged, "acknowledged", CREDIT, CREDIT_TOO_HIGH, false)
    elseif code == ADJUST then
        return add_numbers(tree, tvb, at, limit, field.window, "a window", WINDOW, WINDOW_TOO_HIGH, false)
    end
    if length > 0 then
        tree:add(field.payload, tvb(at, length))
    end
    return nil, ""
end

-- ---- The tree

local function add_handshake(tree, tvb, start, behind, found)
    local item = tree:add(field.handshake, tvb(start, behind - start))
    item:append_text(" of version " .. found.version)
    if found.version == 1 then
        item:add(field.magic, tvb(start, 4))
    else
        item:add(field.major, tvb(found.major.at, found.major.length), uint64(found.major.value))
        item:add(field.minor, tvb(found.minor.at, found.minor.length), uint64(found.minor.value))
    end
    item:add(field.random, tvb(found.random_at, RANDOM_BYTES))
    return item
end

-- Returns the summary, and a fault or nil.
local function add_frame(tree, tvb, start, behind, frame, offers_are_odd)
    local name = name_of(frame)
    local item = tree:add(field.frame, tvb(start, behind - start))
    item:add(field.code, tvb(frame.code_at, frame.code_length), uint64(frame.code)):append_text(" (" .. (name or "unknown") .. ")")
    local wrong = identity_fault(frame, offers_are_odd)
    local summary = name or "unknown code " .. text_of(frame.code)
    if frame.id then
        item:add(field.channel, tvb(frame.id_at, frame.id_length), uint64(frame.id))
        summary = summary .. " " .. text_of(frame.id)
    end
    if frame.source_number then
        item:add(field.source, tvb(frame.source_at, frame.source_length), frame.source_number)
        summary = summary .. "/" .. frame.source_number
    end
    item:add(field.frame_length, behind - start):set_generated()
    item:add(field.length, frame.payload_length):set_generated()
    if not name then
        item:add_proto_expert_info(mark.unknown)
    end
    if not wrong then
        local details
        wrong, details = add_payload(item, tvb, frame)
        summary = summary .. (details or "")
    end
    item:append_text(": " .. summary)
    return summary, wrong, item
end

-- ---- What the bytes are (§3.4)

-- The version of a connection that has no handshake in the capture: that of the first frame. The second value is whether it is sure.
local function version_of_frame(tvb, start, limit)
    local first = byte_at(tvb, start)
    if first <= TERMINATED then
        return 1, true
    end
    local frame, problem = read_msgpack_frame(tvb, start, limit, 4)
    if frame or problem == MORE then
        return 4, frame and frame.source ~= nil
    end
    frame = read_msgpack_frame(tvb, start, limit, 2)
    if frame then
        return 2, frame.id ~= nil
    end
    return 4, false
end

-- The version of the handshake that stands here, or nil: a frame stands here. The second value is MORE where too few bytes are there.
local function handshake_version(tvb, start, limit, connection, own, pinfo)
    if own.handshake and is_before(own.handshake, position_of(tvb, pinfo, start)) then
        return nil
    elseif connection.handshakes then
        -- One of the parties has sent one, so both must.
        return connection.version
    elseif connection.version then
        return nil
    end
    local forced = muxstream.prefs.version
    local first = byte_at(tvb, start)
    if first == V1_MAGIC[1] and (forced == AUTO or forced == 1) then
        return 1
    elseif first == 0x92 and (forced == AUTO or forced == 2) then
        if start + 1 >= limit then
            return nil, MORE
        end
        return byte_at(tvb, start + 1) == 0x92 and 2 or nil
    end
    return nil
end

-- Whether a party's offers are the odd ones on version 1 and 2 (§4.1): by the handshakes; or, without them, as its first one is.
local function offers_are_odd(own, other)
    if own.random and other.random and own.random ~= other.random then
        return own.random > other.random
    end
    return own.first_offer_is_odd
end

local function version_text(version)
    if version <= 2 then
        return tostring(version)
    end
    local forced = muxstream.prefs.version
    return forced >= 3 and tostring(forced) or "3 or 4"
end

-- ---- Dissection: each returns the offset behind what it has shown, or nil; what is wrong, or
-- nil; the item that shows it, and a summary; and how many bytes are missing, where that is known

local function dissect_handshake(tvb, start, limit, pinfo, tree, version, connection, own, other)
    local read = version == 1 and read_v1_handshake or read_v2_handshake
    local found, behind = read(tvb, start, limit)
    if not found then
        return nil, behind
    end
    if not own.handshake then
        own.handshake = position_of(tvb, pinfo, start)
        own.random = tvb(found.random_at, RANDOM_BYTES):bytes():tohex()
        connection.version, connection.handshakes = version, true
    end
    tree:add(field.version, version_text(version)):set_generated()
    local item = add_handshake(tree, tvb, start, behind, found)
    if other.random == own.random and is_before(other.handshake, own.handshake) then
        return behind, fault("EQUAL_RANDOM", "3.1", "expected other random bytes than the peer's"), item, "handshake"
    end
    return behind, nil, item, "handshake of version " .. version
end

local function dissect_frame(tvb, start, limit, tree, connection, own, other)
    local forced = muxstream.prefs.version
    local version, sure = connection.version, true
    if not version and forced ~= AUTO then
        version = forced
    elseif not version then
        version, sure = version_of_frame(tvb, start, limit)
    end
    local frame, behind = read_frame(tvb, start, limit, version)
    if not frame then
        return nil, behind
    elseif behind > limit then
        return nil, MORE, nil, nil, behind - limit
    end
    if sure then
        connection.version = version
    end
    tree:add(field.version, version_text(version)):set_generated()
    local summary, wrong, item = add_frame(tree, tvb, start, behind, frame, offers_are_odd(own, other))
    if version <= 2 and own.first_offer_is_odd == nil and not wrong and is(frame.code, OFFER) then
        own.first_offer_is_odd = frame.id.lo % 2 == 1
    end
    return behind, wrong, item, summary
end

local function show_undecoded(tvb, at, limit, tree)
    return at < limit and tree:add(field.undecoded, tvb(at, limit - at)) or tree
end

-- Shows what ends the decoding of a direction.
local function show_problem(tvb, at, limit, tree, problem, behind, item)
    item = item or show_undecoded(tvb, at, limit, tree)
    if problem == MORE then
        item:add_proto_expert_info(mark.missing)
    else
        item:add_proto_expert_info(mark.malformed, problem.text)
    end
    if behind then
        show_undecoded(tvb, behind, limit, tree)
    end
    return problem == MORE and "bytes are missing" or problem.violation
end

function muxstream.dissector(tvb, pinfo, root)
    local limit = tvb:len()
    if limit == 0 then
        return 0
    end
    pinfo.cols.protocol = "MUXSTREAM"
    pinfo.cols.info:clear()
    local tree = root:add(muxstream, tvb())
    local connection, own, other = directions_of(pinfo)
    local summaries = {}
    local at = 0
    while at < limit do
        if own.broken and is_before(own.broken, position_of(tvb, pinfo, 0)) then
            show_undecoded(tvb, at, limit, tree):add_proto_expert_info(mark.behind,
                "Not decoded: packet " .. own.broken[1] .. " could not be decoded")
            table.insert(summaries, "not decoded")
            break
        end
        local behind, problem, item, summary, missing
        local version, needs = handshake_version(tvb, at, limit, connection, own, pinfo)
        if needs then
            problem = needs
        elseif version then
            behind, problem, item, summary = dissect_handshake(tvb, at, limit, pinfo, tree, version, connection, own, other)
        else
            behind, problem, item, summary, missing = dissect_frame(tvb, at, limit, tree, connection, own, other)
        end
        table.insert(summaries, summary)
        if problem == MORE and tvb:reported_len() == limit and pinfo.can_desegment > 0 then
            pinfo.desegment_offset = at
            pinfo.desegment_len = missing or DESEGMENT_ONE_MORE_SEGMENT
            table.insert(summaries, "the beginning of a frame")
            break
        elseif problem then
            own.broken = own.broken or position_of(tvb, pinfo, 0)
            table.insert(summaries, "[" .. show_problem(tvb, at, limit, tree, problem, behind, item) .. "]")
            break
        end
        at = behind
    end
    pinfo.cols.info:append(" " .. table.concat(summaries, ", "))
    pinfo.cols.info:fence()
    return limit
end

-- ---- Heuristics: a handshake, or the first Offer of version 3 or 4

local function begins_with_offer(tvb, limit)
    if limit < 7 or tvb(0, 2):uint() ~= 0x9400 then
        return false
    end
    local frame = read_msgpack_frame(tvb, 0, limit, 4)
    if not frame or identity_fault(frame, nil) or frame.payload_at + 1 >= limit then
        return false
    end
    local prefix, name = byte_at(tvb, frame.payload_at), byte_at(tvb, frame.payload_at + 1)
    return (prefix == 0x91 or prefix == 0x92) and ((name >= 0xa0 and name <= 0xbf) or (name >= 0xd9 and name <= 0xdb))
end

local function looks_right(tvb, limit)
    if limit >= 4 and tvb(0, 4):uint() == 0x2fdf1d50 then
        return true
    elseif limit >= 6 and tvb(0, 2):uint() == 0x9292 then
        local found, behind = read_v2_handshake(tvb, 0, limit)
        return found ~= nil or behind == MORE
    end
    return begins_with_offer(tvb, limit)
end

local function heuristic(tvb, pinfo, root)
    if not looks_right(tvb, tvb:len()) then
        return false
    end
    pinfo.conversation = muxstream
    muxstream.dissector(tvb, pinfo, root)
    return true
end

muxstream:register_heuristic("tcp", heuristic)
tcp_table:add_for_decode_as(muxstream)
