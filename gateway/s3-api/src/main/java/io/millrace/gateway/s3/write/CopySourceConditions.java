package io.millrace.gateway.s3.write;

import io.millrace.backend.spi.object.ETag;
import io.millrace.backend.spi.object.ReadConditions;
import io.millrace.gateway.s3.gate.AuthorizedRequest;
import io.millrace.gateway.s3.protocol.HttpDate;
import java.util.List;
import java.util.Optional;

/** The preconditions of a copy on its source. */
public final class CopySourceConditions {
    private static final String PREFIX = "x-amz-copy-source-if-";

    private CopySourceConditions() {}

    /** As the fields of a request say them. */
    public static ReadConditions of(AuthorizedRequest admission) {
        return new ReadConditions(
                tag(admission, "match"),
                tag(admission, "none-match"),
                field(admission, "modified-since").flatMap(HttpDate::parse),
                field(admission, "unmodified-since").flatMap(HttpDate::parse));
    }

    private static Optional<List<ETag>> tag(AuthorizedRequest admission, String name) {
        return field(admission, name)
                .map(String::strip)
                .map(value -> value.equals("*")
                        ? ReadConditions.ANY
                        : List.of(WriteConditionParser.tag(PREFIX + name, value)));
    }

    private static Optional<String> field(AuthorizedRequest admission, String name) {
        return admission.request().amzField(PREFIX + name);
    }
}
