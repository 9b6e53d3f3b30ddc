package io.millrace.backend.spi.object;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Predicate;

/** An immutable list of header fields in order, with names in lower case and values exactly as received. */
public record HeaderList(List<HeaderField> fields) {
    /** No fields. */
    public static final HeaderList EMPTY = new HeaderList(List.of());

    /** One header field; the name is converted to lower case. */
    public record HeaderField(String name, String value) {
        public HeaderField {
            name = name.toLowerCase(Locale.ROOT);
        }
    }

    public HeaderList {
        fields = List.copyOf(fields);
    }

    /** Returns the first value of {@code name}, which must be in lower case. */
    public Optional<String> first(String name) {
        for (HeaderField field : fields) {
            if (field.name().equals(name)) {
                return Optional.of(field.value());
            }
        }
        return Optional.empty();
    }

    /** Returns these fields with one more at the end. */
    public HeaderList with(String name, String value) {
        List<HeaderField> more = new ArrayList<>(fields);
        more.add(new HeaderField(name, value));
        return new HeaderList(more);
    }

    /** Returns these fields with others behind them. */
    public HeaderList with(HeaderList others) {
        List<HeaderField> all = new ArrayList<>(fields);
        all.addAll(others.fields());
        return new HeaderList(all);
    }

    /** Returns the fields whose names are chosen, in their order. */
    public HeaderList where(Predicate<String> names) {
        List<HeaderField> chosen = new ArrayList<>(fields.size());
        for (HeaderField field : fields) {
            if (names.test(field.name())) {
                chosen.add(field);
            }
        }
        return new HeaderList(chosen);
    }
}
