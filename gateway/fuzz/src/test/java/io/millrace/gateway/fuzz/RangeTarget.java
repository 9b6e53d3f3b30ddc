package io.millrace.gateway.fuzz;

import io.millrace.gateway.s3.server.DirectExchange;
import java.math.BigInteger;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Range headers, for objects of any size: status, Content-Range and bytes are what a model of large integers says. */
final class RangeTarget extends FuzzTarget {
    private static final Pattern OBJECT = Pattern.compile("/open/([0-9]{1,18})");
    private static final Pattern RANGE = Pattern.compile("(?i)bytes=([0-9]*)-([0-9]*)");
    private static final BigInteger LARGEST = BigInteger.valueOf(Long.MAX_VALUE);
    private static final List<String> CONDITIONS = List.of(
            "if-match", "if-none-match", "if-modified-since", "if-unmodified-since", "if-range", "cache-control");

    /** First and last byte; 416 if empty. */
    private record Bytes(long first, long last) {}

    @Override
    void judge(Input input) {
        Served served = counted(gateway.serve(input.withBody("")));
        Matcher object = OBJECT.matcher(input.target());
        boolean plain = object.matches()
                && input.method().equals("GET")
                && input.fields().stream().noneMatch(field -> CONDITIONS.contains(field.name()))
                && served.who().equals("anonymous");
        if (!plain) {
            return;
        }
        long size = Long.parseLong(object.group(1));
        Optional<Matcher> range = input.all("range").stream()
                .findFirst()
                .map(header -> RANGE.matcher(header.strip()))
                .filter(Matcher::matches)
                .filter(RangeTarget::isRange);
        if (range.isEmpty()) {
            judge(served, 200, Optional.empty(), new Bytes(0, size - 1));
            return;
        }
        Bytes bytes = bytes(range.get(), size);
        if (bytes.first() > bytes.last()) {
            require(served.status() == 416 && served.code().equals("InvalidRange"), "no 416", served);
        } else {
            String reported = "bytes %d-%d/%d".formatted(bytes.first(), bytes.last(), size);
            judge(served, 206, Optional.of(reported), bytes);
        }
    }

    private static void judge(Served served, int status, Optional<String> contentRange, Bytes bytes) {
        require(served.status() == status, "another status", status, served);
        require(served.reply().headers().first("content-range").equals(contentRange), "another range", served);
        String body = served.reply().body();
        long length = bytes.last() - bytes.first() + 1;
        boolean enough = body.length() == length || body.length() >= DirectExchange.TAKEN;
        require(body.length() <= length && enough, "another length", served);
        for (int i = 0; i < body.length(); i++) {
            boolean same = (byte) body.charAt(i) == ComputedContent.byteAt(bytes.first() + i);
            require(same, "another byte", served);
        }
    }

    /** Not one with nothing in it, and none whose end is before its beginning. */
    private static boolean isRange(Matcher range) {
        boolean first = !range.group(1).isEmpty();
        boolean last = !range.group(2).isEmpty();
        return (first && last) ? number(range.group(1)).compareTo(number(range.group(2))) <= 0 : first || last;
    }

    private static Bytes bytes(Matcher range, long size) {
        BigInteger end = BigInteger.valueOf(size - 1);
        if (range.group(1).isEmpty()) {
            BigInteger first = BigInteger.valueOf(size).subtract(number(range.group(2)));
            return new Bytes(first.max(BigInteger.ZERO).longValueExact(), size - 1);
        }
        BigInteger last =
                range.group(2).isEmpty() ? end : number(range.group(2)).min(end);
        return new Bytes(number(range.group(1)).longValueExact(), last.longValueExact());
    }

    /** Numbers beyond 2^63-1 count as that. */
    private static BigInteger number(String digits) {
        return new BigInteger(digits).min(LARGEST);
    }
}
