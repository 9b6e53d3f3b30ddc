package io.millrace.gateway.fuzz;

import io.millrace.gateway.s3.protocol.RequestHeaders;
import io.netty.handler.codec.http.HttpHeaderValidationUtil;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * A request as an input spells it, one char a byte:
 *
 * <pre>
 * GET /bucket/key?versionId=1
 * range: bytes=0-1
 *
 * body, as it is
 * </pre>
 *
 * <p>What Netty would refuse or take away is taken away here, so that every input is a request.
 *
 * @param fields names in lower case, in order
 */
record Input(String method, String target, List<Field> fields, String body) implements RequestHeaders {
    /** The most that a head may have. */
    private static final int LONGEST_HEAD = 16 << 10;

    private static final int LONGEST_BODY = 64 << 10;

    record Field(String name, String value) {}

    Input {
        fields = List.copyOf(fields);
    }

    static Input parse(byte[] bytes) {
        String text = new String(bytes, StandardCharsets.ISO_8859_1);
        int end = text.indexOf("\n\n");
        String head = cut(Repeats.writtenOut(end < 0 ? text : text.substring(0, end), LONGEST_HEAD), LONGEST_HEAD);
        String body = end < 0 ? "" : Repeats.writtenOut(text.substring(end + 2), LONGEST_BODY);
        List<String> lines = List.of(head.split("\n", -1));
        String line = lines.get(0);
        int space = line.indexOf(' ');
        List<Field> fields = new ArrayList<>();
        for (String field : lines.subList(1, lines.size())) {
            int colon = field.indexOf(':');
            String name = colon < 0 ? "" : field.substring(0, colon).toLowerCase(Locale.ROOT);
            String value = withoutBlanksAround(field.substring(colon + 1));
            if (isToken(name) && HttpHeaderValidationUtil.validateValidHeaderValue(value) < 0) {
                fields.add(new Field(name, value));
            }
        }
        String method = space < 0 ? "" : line.substring(0, space);
        String target = withoutSpaces(space < 0 ? line : line.substring(space + 1));
        return new Input(isToken(method) ? method : "GET", target.isEmpty() ? "/" : target, fields, body);
    }

    /** With one more field behind the others. */
    Input with(String name, String value) {
        List<Field> more = new ArrayList<>(fields);
        more.add(new Field(name, value));
        return new Input(method, target, more, body);
    }

    /** The same, unless there is such a field. */
    Input withDefault(String name, String value) {
        return all(name).isEmpty() ? with(name, value) : this;
    }

    Input without(String name) {
        return new Input(
                method,
                target,
                fields.stream().filter(field -> !field.name().equals(name)).toList(),
                body);
    }

    Input withTarget(String other) {
        return new Input(method, other, fields, body);
    }

    Input withMethod(String other) {
        return new Input(other, target, fields, body);
    }

    Input withBody(String other) {
        return new Input(method, target, fields, other);
    }

    /** The target up to its query. */
    String rawPath() {
        int mark = target.indexOf('?');
        return mark < 0 ? target : target.substring(0, mark);
    }

    /** The only value of a field. */
    Optional<String> only(String name) {
        List<String> values = all(name);
        return values.size() == 1 ? Optional.of(values.get(0)) : Optional.empty();
    }

    @Override
    public List<String> all(String name) {
        List<String> values = new ArrayList<>();
        for (Field field : fields) {
            if (field.name().equals(name)) {
                values.add(field.value());
            }
        }
        return values;
    }

    @Override
    public List<String> names() {
        LinkedHashSet<String> names = new LinkedHashSet<>();
        fields.forEach(field -> names.add(field.name()));
        return List.copyOf(names);
    }

    private static boolean isToken(String text) {
        return !text.isEmpty() && HttpHeaderValidationUtil.validateToken(text) < 0;
    }

    /** Blanks and tabs around a value are no part of it. */
    private static String withoutBlanksAround(String text) {
        int from = 0;
        int to = text.length();
        while (from < to && isBlank(text.charAt(from))) {
            from++;
        }
        while (to > from && isBlank(text.charAt(to - 1))) {
            to--;
        }
        return text.substring(from, to);
    }

    private static boolean isBlank(char c) {
        return c == ' ' || c == '\t';
    }

    private static String withoutSpaces(String target) {
        StringBuilder kept = new StringBuilder(target.length());
        for (int i = 0; i < target.length(); i++) {
            if (target.charAt(i) > ' ') {
                kept.append(target.charAt(i));
            }
        }
        return kept.toString();
    }

    private static String cut(String text, int length) {
        return text.length() > length ? text.substring(0, length) : text;
    }
}
