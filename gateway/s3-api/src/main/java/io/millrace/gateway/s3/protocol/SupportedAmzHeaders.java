package io.millrace.gateway.s3.protocol;

import io.millrace.backend.spi.UploadChecksumSpec;
import io.millrace.backend.spi.checksum.ChecksumAlgorithm;
import java.util.HashSet;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Lists the {@code x-amz-*} fields that each operation understands, as headers or as parameters of a presigned URL.
 * Other fields could change the meaning of a request. A name that ends in {@code *} is a prefix.
 */
final class SupportedAmzHeaders {
    /** Fields that {@code auth} reads, or that have no effect on the server (docs/s3-compatibility.md). */
    private static final Set<String> OF_ALL = of(
            Set.of(
                    "x-amz-date",
                    "x-amz-content-sha256",
                    "x-amz-security-token",
                    "x-amz-user-agent",
                    "x-amz-api-version",
                    "x-amz-te",
                    "x-amz-request-payer"),
            RdmaOffer.FIELDS);

    /** Checksums of a body, and the fields that select one. */
    private static final Set<String> OF_A_BODY = of(
            Stream.of(ChecksumAlgorithm.values())
                    .map(ChecksumAlgorithm::headerName)
                    .collect(Collectors.toUnmodifiableSet()),
            Set.of("x-amz-sdk-checksum-algorithm", "x-amz-decoded-content-length", "x-amz-trailer"));

    /** A customer-provided encryption key (SSE-C). */
    private static final Set<String> OF_A_CLIENTS_KEY = Set.of(
            "x-amz-server-side-encryption-customer-algorithm",
            "x-amz-server-side-encryption-customer-key",
            "x-amz-server-side-encryption-customer-key-md5");

    /** Server-side encryption of a write; an InvalidArgument in operations that write nothing. */
    private static final Set<String> OF_ENCRYPTING = Set.of(
            "x-amz-server-side-encryption",
            "x-amz-server-side-encryption-aws-kms-key-id",
            "x-amz-server-side-encryption-context",
            "x-amz-server-side-encryption-bucket-key-enabled");

    /** Properties of a stored object. */
    private static final Set<String> OF_STORING = Set.of(
            "x-amz-meta-*",
            "x-amz-acl",
            "x-amz-grant-full-control",
            "x-amz-grant-read",
            "x-amz-grant-read-acp",
            "x-amz-grant-write-acp",
            "x-amz-storage-class",
            "x-amz-tagging",
            "x-amz-website-redirect-location",
            "x-amz-object-lock-mode",
            "x-amz-object-lock-retain-until-date",
            "x-amz-object-lock-legal-hold",
            "x-amz-server-side-encryption",
            "x-amz-server-side-encryption-aws-kms-key-id",
            "x-amz-server-side-encryption-context",
            "x-amz-server-side-encryption-bucket-key-enabled",
            "x-amz-expected-bucket-owner");

    /** The source of a copy and its conditions. */
    private static final Set<String> OF_A_COPY = Set.of(
            "x-amz-copy-source",
            "x-amz-copy-source-if-match",
            "x-amz-copy-source-if-none-match",
            "x-amz-copy-source-if-modified-since",
            "x-amz-copy-source-if-unmodified-since",
            "x-amz-copy-source-server-side-encryption-customer-algorithm",
            "x-amz-copy-source-server-side-encryption-customer-key",
            "x-amz-copy-source-server-side-encryption-customer-key-md5",
            "x-amz-source-expected-bucket-owner");

    /**
     * Fields of a read that {@link FastPathFieldRule} may serve at once; the Java SDK also sends checksums of a body
     * that a read does not have.
     */
    private static final Set<String> SERVED_AT_ONCE =
            of(OF_ALL, OF_A_BODY, Set.of(ChecksumAlgorithm.MODE_HEADER, "x-amz-optional-object-attributes"));

    /** Fields of a read. */
    static final Set<String> READ =
            of(SERVED_AT_ONCE, OF_A_CLIENTS_KEY, OF_ENCRYPTING, Set.of("x-amz-expected-bucket-owner"));

    static final Set<String> LIST_BUCKETS = of(OF_A_BODY, Set.of("x-amz-optional-object-attributes"));

    static final Set<String> LIST = of(LIST_BUCKETS, Set.of("x-amz-expected-bucket-owner"));

    /** Fields of an operation with a small document. */
    static final Set<String> DOCUMENT = of(OF_A_BODY);

    static final Set<String> OWNED_BUCKET = of(DOCUMENT, Set.of("x-amz-expected-bucket-owner"));

    static final Set<String> PUT = of(OF_A_BODY, OF_A_CLIENTS_KEY, OF_STORING);

    static final Set<String> COPY = of(
            OF_A_BODY,
            OF_A_CLIENTS_KEY,
            OF_STORING,
            OF_A_COPY,
            Set.of("x-amz-metadata-directive", "x-amz-tagging-directive", UploadChecksumSpec.ALGORITHM_HEADER));

    static final Set<String> DELETE =
            of(OF_A_BODY, Set.of("x-amz-bypass-governance-retention", "x-amz-mfa", "x-amz-expected-bucket-owner"));

    static final Set<String> ABORT =
            of(OF_A_BODY, Set.of("x-amz-expected-bucket-owner", "x-amz-if-match-initiated-time"));

    /**
     * Fields of DeleteObject. General purpose buckets of S3 lack its conditions; a backend that cannot evaluate them
     * rejects them.
     */
    static final Set<String> DELETE_ONE =
            of(DELETE, Set.of("x-amz-if-match-last-modified-time", "x-amz-if-match-size"));

    static final Set<String> CREATE_UPLOAD = of(
            OF_A_BODY,
            OF_A_CLIENTS_KEY,
            OF_STORING,
            Set.of(UploadChecksumSpec.ALGORITHM_HEADER, UploadChecksumSpec.TYPE_HEADER));

    static final Set<String> PART = of(
            OF_A_BODY,
            OF_A_CLIENTS_KEY,
            Set.of(
                    "x-amz-server-side-encryption",
                    "x-amz-server-side-encryption-aws-kms-key-id",
                    "x-amz-expected-bucket-owner"));

    static final Set<String> COPY_PART = of(PART, OF_A_COPY, Set.of("x-amz-copy-source-range"));

    static final Set<String> COMPLETE = of(PART, Set.of(UploadChecksumSpec.TYPE_HEADER, "x-amz-mp-object-size"));

    static final Set<String> BUCKET = of(
            DOCUMENT,
            Set.of(
                    "x-amz-expected-bucket-owner",
                    "x-amz-acl",
                    "x-amz-grant-full-control",
                    "x-amz-grant-read",
                    "x-amz-grant-read-acp",
                    "x-amz-grant-write",
                    "x-amz-grant-write-acp",
                    "x-amz-bucket-object-lock-enabled",
                    "x-amz-object-ownership"));

    static final Set<String> SUB_RESOURCE = of(
            BUCKET,
            DELETE,
            Set.of(
                    "x-amz-object-attributes",
                    "x-amz-max-parts",
                    "x-amz-part-number-marker",
                    UploadChecksumSpec.ALGORITHM_HEADER,
                    "x-amz-bucket-object-lock-token",
                    "x-amz-confirm-remove-self-bucket-access",
                    "x-amz-transition-default-minimum-object-size"),
            OF_A_CLIENTS_KEY);

    private SupportedAmzHeaders() {}

    /** Returns whether an operation with these fields understands {@code name}, which is in lower case. */
    static boolean understands(Set<String> fields, String name) {
        return fields.contains(name)
                || OF_ALL.contains(name)
                || (name.startsWith("x-amz-meta-") && fields.contains("x-amz-meta-*"));
    }

    /** Returns whether every operation understands {@code name}, which is in lower case. */
    static boolean isOfAll(String name) {
        return OF_ALL.contains(name);
    }

    /** Returns whether a read with the field {@code name}, in lower case, may be answered at once. */
    static boolean isServedAtOnce(String name) {
        return SERVED_AT_ONCE.contains(name);
    }

    @SafeVarargs
    @SuppressWarnings("varargs") // the groups are only read
    private static Set<String> of(Set<String>... groups) {
        Set<String> all = new HashSet<>();
        for (Set<String> group : groups) {
            all.addAll(group);
        }
        return Set.copyOf(all);
    }
}
