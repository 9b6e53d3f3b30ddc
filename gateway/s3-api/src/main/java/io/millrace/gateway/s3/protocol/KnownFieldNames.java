package io.millrace.gateway.s3.protocol;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Lists the names of headers and parameters that the gateway knows: those of operations, and those that are always
 * rejected. A known name is forwarded to a backend only by an operation that has it.
 */
public final class KnownFieldNames {
    /**
     * Known names that no operation has: Ceph's append parameter, session credentials of clients, routes to Object
     * Lambda functions.
     */
    private static final Set<String> REFUSED = Set.of(
            "append",
            "position",
            "renameobject",
            "session",
            "x-amz-create-session-mode",
            "x-amz-s3session-token",
            "x-amz-region-set",
            "x-amz-write-offset-bytes");

    /** Prefixes of known names. The gateway itself applies the {@code response-} overrides. */
    private static final List<String> REFUSED_PREFIXES = List.of(
            "x-amz-rename-source",
            "x-amz-object-lock-event-hold",
            "x-amz-fwd-",
            "x-amz-request-",
            "x-amz-signature",
            "response-");

    /**
     * Names of response headers. Some servers accept them in requests from each other: MinIO trusts a replica's status.
     */
    private static final Set<String> OF_RESPONSES = Set.of(
            "x-amz-abort-date",
            "x-amz-abort-rule-id",
            "x-amz-access-point-alias",
            "x-amz-archive-status",
            "x-amz-bucket-location-name",
            "x-amz-bucket-location-type",
            "x-amz-bucket-region",
            "x-amz-cf-id",
            "x-amz-copy-source-version-id",
            "x-amz-delete-marker",
            "x-amz-expiration",
            "x-amz-id-2",
            "x-amz-missing-meta",
            "x-amz-mp-parts-count",
            "x-amz-object-size",
            "x-amz-replication-status",
            "x-amz-restore",
            "x-amz-tagging-count",
            "x-amz-version-id");

    private static final Set<String> OF_OPERATIONS = Arrays.stream(S3Operation.values())
            .flatMap(S3Operation::names)
            .map(name -> name.toLowerCase(Locale.ROOT))
            .collect(Collectors.toUnmodifiableSet());

    private KnownFieldNames() {}

    /** Returns whether a name, in any case, is known; every name that begins with {@code x-amz-meta-} is. */
    public static boolean contains(String name) {
        String lower = name.toLowerCase(Locale.ROOT);
        return Stream.of(OF_OPERATIONS, REFUSED, OF_RESPONSES).anyMatch(names -> names.contains(lower))
                || Router.isOfAll(lower)
                || lower.startsWith("x-amz-meta-")
                || REFUSED_PREFIXES.stream().anyMatch(lower::startsWith);
    }
}
