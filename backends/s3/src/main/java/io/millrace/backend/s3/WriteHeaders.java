package io.millrace.backend.s3;

import io.millrace.backend.spi.Conditions;
import io.millrace.backend.spi.HeaderList;
import io.millrace.backend.spi.HeaderList.Field;
import io.millrace.backend.spi.ObjectWriter.CopySource;
import io.millrace.backend.spi.WriteCondition;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Header fields of a write beside those that the client gave. */
final class WriteHeaders {
    private static final String SOURCE = "x-amz-copy-source";

    private final List<Field> fields;

    private WriteHeaders(HeaderList given) {
        this.fields = new ArrayList<>(given.fields());
    }

    static HeaderList of(HeaderList given, WriteCondition condition) {
        return new WriteHeaders(given).add(condition).list();
    }

    static HeaderList of(HeaderList given, CopySource source, Optional<String> range) {
        WriteHeaders headers = new WriteHeaders(given).add(source);
        range.ifPresent(text -> headers.add(SOURCE + "-range", text));
        return headers.list();
    }

    static HeaderList of(HeaderList given, CopySource source, WriteCondition condition) {
        return new WriteHeaders(given).add(source).add(condition).list();
    }

    private WriteHeaders add(WriteCondition condition) {
        if (condition instanceof WriteCondition.Absent) {
            add("if-none-match", "*");
        } else if (condition instanceof WriteCondition.Exists) {
            add("if-match", "*");
        } else if (condition instanceof WriteCondition.Matches matches) {
            add("if-match", matches.tag().toString());
        } else if (condition instanceof WriteCondition.Differs differs) {
            add("if-none-match", differs.tag().toString());
        }
        return this;
    }

    private WriteHeaders add(CopySource source) {
        add(SOURCE, text(source));
        Conditions conditions = source.conditions();
        conditions.ifMatch().ifPresent(tags -> add(SOURCE + "-if-match", Conditions.header(tags)));
        conditions.ifNoneMatch().ifPresent(tags -> add(SOURCE + "-if-none-match", Conditions.header(tags)));
        conditions.ifModifiedSince().ifPresent(time -> add(SOURCE + "-if-modified-since", HttpDate.of(time)));
        conditions.ifUnmodifiedSince().ifPresent(time -> add(SOURCE + "-if-unmodified-since", HttpDate.of(time)));
        return this;
    }

    /** The key as in a request's target, so that a {@code ?} in it is none that ends it. */
    private static String text(CopySource source) {
        String object =
                source.object().bucket() + "/" + KeyText.of(source.object().key());
        return source.versionId()
                .map(id -> object + "?versionId="
                        + URLEncoder.encode(id, StandardCharsets.UTF_8).replace("+", "%20"))
                .orElse(object);
    }

    private WriteHeaders add(String name, String value) {
        fields.add(new Field(name, value));
        return this;
    }

    private HeaderList list() {
        return new HeaderList(fields);
    }
}
