package io.millrace.gateway.s3.object;

import io.millrace.backend.spi.object.ETag;
import io.millrace.backend.spi.object.ReadConditions;
import io.millrace.gateway.s3.gate.AuthorizedRequest;
import io.millrace.kit.HttpDate;
import java.util.List;
import java.util.Optional;

/** Parses the preconditions of a copy request on its source ({@code x-amz-copy-source-if-*}). */
final class CopySourceConditionParser {
    private static final String PREFIX = "x-amz-copy-source-if-";

    private CopySourceConditionParser() {}

    /** Returns the preconditions in a request. */
    static ReadConditions of(AuthorizedRequest authorized) {
        return new ReadConditions(
                tag(authorized, "match"),
                tag(authorized, "none-match"),
                field(authorized, "modified-since").flatMap(HttpDate::parse),
                field(authorized, "unmodified-since").flatMap(HttpDate::parse));
    }

    private static Optional<List<ETag>> tag(AuthorizedRequest authorized, String name) {
        return field(authorized, name)
                .map(String::strip)
                .map(value -> value.equals("*")
                        ? ReadConditions.ANY
                        : List.of(WriteConditionParser.tag(PREFIX + name, value)));
    }

    private static Optional<String> field(AuthorizedRequest authorized, String name) {
        return authorized.request().amzField(PREFIX + name);
    }
}
