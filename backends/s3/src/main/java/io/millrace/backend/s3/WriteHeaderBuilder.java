package io.millrace.backend.s3;

import io.millrace.backend.http.ObjectKeyEncoding;
import io.millrace.backend.spi.ObjectWriter.CopySource;
import io.millrace.backend.spi.WriteCondition;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.HeaderList.HeaderField;
import io.millrace.backend.spi.object.ReadConditions;
import io.millrace.kit.HttpDate;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Builds the headers of a write request to the S3 server from the client's headers, the write condition and the copy
 * source.
 */
final class WriteHeaderBuilder {
    private static final String SOURCE = "x-amz-copy-source";

    private final List<HeaderField> fields;

    private WriteHeaderBuilder(HeaderList given) {
        this.fields = new ArrayList<>(given.fields());
    }

    static HeaderList of(HeaderList given, WriteCondition condition) {
        return new WriteHeaderBuilder(given).add(condition).list();
    }

    static HeaderList of(HeaderList given, CopySource source, Optional<String> range) {
        WriteHeaderBuilder headers = new WriteHeaderBuilder(given).add(source);
        range.ifPresent(text -> headers.add(SOURCE + "-range", text));
        return headers.list();
    }

    static HeaderList of(HeaderList given, CopySource source, WriteCondition condition) {
        return new WriteHeaderBuilder(given).add(source).add(condition).list();
    }

    private WriteHeaderBuilder add(WriteCondition condition) {
        if (condition instanceof WriteCondition.IfAbsent) {
            add("if-none-match", "*");
        } else if (condition instanceof WriteCondition.IfExists) {
            add("if-match", "*");
        } else if (condition instanceof WriteCondition.IfMatches matches) {
            add("if-match", matches.tag().toString());
        } else if (condition instanceof WriteCondition.IfDiffers differs) {
            add("if-none-match", differs.tag().toString());
        }
        return this;
    }

    private WriteHeaderBuilder add(CopySource source) {
        add(SOURCE, text(source));
        ReadConditions conditions = source.conditions();
        conditions.ifMatch().ifPresent(tags -> add(SOURCE + "-if-match", ReadConditions.toHeader(tags)));
        conditions.ifNoneMatch().ifPresent(tags -> add(SOURCE + "-if-none-match", ReadConditions.toHeader(tags)));
        conditions.ifModifiedSince().ifPresent(time -> add(SOURCE + "-if-modified-since", HttpDate.format(time)));
        conditions.ifUnmodifiedSince().ifPresent(time -> add(SOURCE + "-if-unmodified-since", HttpDate.format(time)));
        return this;
    }

    /** Percent-encodes the key, so that a {@code ?} in it does not begin the query. */
    private static String text(CopySource source) {
        String object = source.object().bucket() + "/"
                + ObjectKeyEncoding.encode(source.object().key());
        return source.versionId()
                .map(id -> object + "?versionId="
                        + URLEncoder.encode(id, StandardCharsets.UTF_8).replace("+", "%20"))
                .orElse(object);
    }

    private WriteHeaderBuilder add(String name, String value) {
        fields.add(new HeaderField(name, value));
        return this;
    }

    private HeaderList list() {
        return new HeaderList(fields);
    }
}
