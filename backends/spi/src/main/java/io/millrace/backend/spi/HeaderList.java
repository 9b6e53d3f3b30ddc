package io.millrace.backend.spi;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** Header fields in order, names in lower case, values exactly as the backend gave them. Immutable. */
public record HeaderList(List<Field> fields) {
    /** No fields. */
    public static final HeaderList EMPTY = new HeaderList(List.of());

    /** One field; the name is in lower case. */
    public record Field(String name, String value) {
        public Field {
            name = name.toLowerCase(Locale.ROOT);
        }
    }

    public HeaderList {
        fields = List.copyOf(fields);
    }

    /** The first value of {@code name}, given in lower case. */
    public Optional<String> first(String name) {
        for (Field field : fields) {
            if (field.name().equals(name)) {
                return Optional.of(field.value());
            }
        }
        return Optional.empty();
    }

    /** These fields and one more behind them. */
    public HeaderList with(String name, String value) {
        List<Field> more = new ArrayList<>(fields);
        more.add(new Field(name, value));
        return new HeaderList(more);
    }
}
