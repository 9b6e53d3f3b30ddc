package io.millrace.gateway.write;

import io.millrace.backend.spi.Conditions;
import io.millrace.backend.spi.ETag;
import io.millrace.gateway.gate.Admission;
import io.millrace.gateway.http.HttpDate;
import java.util.List;
import java.util.Optional;

/** The preconditions of a copy on its source. */
public final class CopySourceConditions {
    private static final String PREFIX = "x-amz-copy-source-if-";

    private CopySourceConditions() {}

    /** As the fields of a request say them. */
    public static Conditions of(Admission admission) {
        return new Conditions(
                tag(admission, "match"),
                tag(admission, "none-match"),
                field(admission, "modified-since").flatMap(HttpDate::parse),
                field(admission, "unmodified-since").flatMap(HttpDate::parse));
    }

    private static Optional<List<ETag>> tag(Admission admission, String name) {
        return field(admission, name)
                .map(String::strip)
                .map(value -> value.equals("*") ? Conditions.ANY : List.of(WriteConditions.tag(PREFIX + name, value)));
    }

    private static Optional<String> field(Admission admission, String name) {
        return admission.request().amzField(PREFIX + name);
    }
}
