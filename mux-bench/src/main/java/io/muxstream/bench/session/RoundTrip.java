package io.muxstream.bench.session;

import java.math.BigDecimal;
import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads a round trip's time: {@code 20ms}, {@code 20}, {@code 0.02s}; milliseconds where no unit is given. */
final class RoundTrip implements ITypeConverter<Duration> {
    private static final Duration LONGEST = Duration.ofSeconds(1);
    private static final Pattern FORM = Pattern.compile("(\\d{1,9}(?:\\.\\d{1,9})?)(ms|s)?");
    private static final int NANOS_PER_MILLI_DIGITS = 6;
    private static final int NANOS_PER_SECOND_DIGITS = 9;

    @Override
    public Duration convert(String text) {
        Matcher form = FORM.matcher(text.strip());
        if (!form.matches()) {
            throw new TypeConversionException("expected a time like 20ms, 20 or 0.02s, got '" + text + "'");
        }
        int digits = "s".equals(form.group(2)) ? NANOS_PER_SECOND_DIGITS : NANOS_PER_MILLI_DIGITS;
        Duration rtt = Duration.ofNanos(
                new BigDecimal(form.group(1)).movePointRight(digits).longValue());
        if (rtt.compareTo(LONGEST) > 0) {
            throw new TypeConversionException("expected a time of 0 to 1 s, got '" + text + "'");
        }
        return rtt;
    }
}
