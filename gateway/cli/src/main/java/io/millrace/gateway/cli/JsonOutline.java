package io.millrace.gateway.cli;

import java.math.BigDecimal;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Formats a JSON object as lines of labels and values, with nested objects indented. */
final class JsonOutline {
    /** Fields in bytes whose names do not end with {@code bytes}. */
    private static final Set<String> SIZES = Set.of("used", "capacity", "available", "size", "waiting");

    /** Fields whose 0 says that there is no such number: no response was sent, or nothing was measured. */
    private static final Set<String> NONE_IF_ZERO = Set.of("status", "slowness");

    private JsonOutline() {}

    static String text(JsonObject object) {
        List<String> lines = new ArrayList<>();
        add(lines, "", object.fields());
        return String.join(System.lineSeparator(), lines);
    }

    private static void add(List<String> lines, String indent, Map<?, ?> fields) {
        int width = fields.entrySet().stream()
                .filter(field -> !isNested(field.getValue()))
                .filter(field -> !isNothing(String.valueOf(field.getKey()), field.getValue()))
                .mapToInt(field -> label(String.valueOf(field.getKey())).length())
                .max()
                .orElse(0);
        fields.forEach((key, value) -> {
            String name = String.valueOf(key);
            if (isNothing(name, value)) {
                return;
            }
            String label = label(name);
            if (value instanceof Map<?, ?> object) {
                lines.add(indent + label);
                add(lines, indent + "  ", object);
            } else if (isNested(value)) {
                lines.add(indent + label);
                ((List<?>) value).forEach(element -> element(lines, indent + "  ", element));
            } else {
                lines.add(indent + label + " ".repeat(width - label.length() + 2) + value(name, value));
            }
        });
    }

    private static String label(String name) {
        return TerminalEscaper.escape(FieldLabels.of(name));
    }

    private static void element(List<String> lines, String indent, @Nullable Object element) {
        if (element instanceof Map<?, ?> object) {
            List<String> own = new ArrayList<>();
            add(own, "", object);
            for (int i = 0; i < own.size(); i++) {
                lines.add(indent + (i == 0 ? "- " : "  ") + own.get(i));
            }
        } else {
            lines.add(indent + "- " + value("", element));
        }
    }

    /** Whether a value needs lines of its own; a list of scalars does not. */
    private static boolean isNested(@Nullable Object value) {
        return value instanceof Map
                || (value instanceof List<?> list
                        && list.stream().anyMatch(element -> element instanceof Map || element instanceof List));
    }

    private static boolean isNothing(String name, @Nullable Object value) {
        return value == null
                || value.equals("")
                || value.equals(List.of())
                || value.equals(Map.of())
                || (NONE_IF_ZERO.contains(name) && value instanceof Number number && number.doubleValue() == 0);
    }

    private static String value(String name, @Nullable Object value) {
        if (value instanceof List<?> list) {
            return TerminalEscaper.escape(
                    String.join(", ", list.stream().map(String::valueOf).toList()));
        }
        if (value instanceof Boolean flag) {
            return flag ? "yes" : "no";
        }
        return value instanceof Number number
                ? number(name, number)
                : TerminalEscaper.escape(HumanReadable.time(String.valueOf(value)));
    }

    /** Formats a number by the unit that ends its name. */
    private static String number(String name, Number number) {
        if (SIZES.contains(name) || name.toLowerCase(Locale.ROOT).endsWith("bytes")) {
            return HumanReadable.bytes(number.longValue());
        }
        if (name.equals("bytesPerSecond")) {
            return HumanReadable.bytes(number.longValue()) + "/s";
        }
        if (name.equals("percent")) {
            return HumanReadable.percent(number.doubleValue());
        }
        if (name.equals("secondsLeft") || name.endsWith("Seconds")) {
            return HumanReadable.duration(Duration.ofSeconds(number.longValue()));
        }
        if (name.endsWith("Millis")) {
            return HumanReadable.latency(Duration.ofMillis(number.longValue()));
        }
        if (name.equals("micros") || name.endsWith("Micros")) {
            return HumanReadable.latency(Duration.of(number.longValue(), ChronoUnit.MICROS));
        }
        if (name.startsWith("money")) {
            return HumanReadable.money(number.doubleValue());
        }
        if (number instanceof Double exact) {
            // Double.toString would write a small number in scientific notation.
            return BigDecimal.valueOf(exact).toPlainString();
        }
        return name.endsWith("Port") ? String.valueOf(number) : String.format(Locale.ROOT, "%,d", number.longValue());
    }
}
