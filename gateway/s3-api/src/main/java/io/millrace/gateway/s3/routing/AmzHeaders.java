package io.millrace.gateway.s3.routing;

import java.util.HashSet;
import java.util.Set;

/**
 * Which {@code x-amz-*} fields an operation understands, as header fields or as parameters of a presigned URL. One that is not
 * understood could change what a request means. A name that ends in {@code *} stands for all that begin so.
 */
final class AmzHeaders {
    /** Read by {@code auth}, or saying nothing to the server (docs/s3-compatibility.md). */
    private static final Set<String> OF_ALL = Set.of(
            "x-amz-date",
            "x-amz-content-sha256",
            "x-amz-security-token",
            "x-amz-user-agent",
            "x-amz-api-version",
            "x-amz-te",
            "x-amz-request-payer");

    /** Checksums of a body and which of them the client means. */
    private static final Set<String> OF_A_BODY = Set.of(
            "x-amz-sdk-checksum-algorithm",
            "x-amz-checksum-crc32",
            "x-amz-checksum-crc32c",
            "x-amz-checksum-crc64nvme",
            "x-amz-checksum-sha1",
            "x-amz-checksum-sha256",
            "x-amz-checksum-sha512",
            "x-amz-checksum-md5",
            "x-amz-checksum-xxhash3",
            "x-amz-checksum-xxhash64",
            "x-amz-checksum-xxhash128",
            "x-amz-decoded-content-length",
            "x-amz-trailer");

    /** An encryption key of the client's. */
    private static final Set<String> OF_A_CLIENTS_KEY = Set.of(
            "x-amz-server-side-encryption-customer-algorithm",
            "x-amz-server-side-encryption-customer-key",
            "x-amz-server-side-encryption-customer-key-md5");

    /** How the server is to encrypt what is written; where nothing is, an InvalidArgument. */
    private static final Set<String> OF_ENCRYPTING = Set.of(
            "x-amz-server-side-encryption",
            "x-amz-server-side-encryption-aws-kms-key-id",
            "x-amz-server-side-encryption-context",
            "x-amz-server-side-encryption-bucket-key-enabled");

    /** How an object is to be stored. */
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

    /** What is copied. */
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

    /** The Java SDK sends checksums of a body that a read does not have. */
    static final Set<String> READ = of(
            OF_A_BODY,
            OF_A_CLIENTS_KEY,
            OF_ENCRYPTING,
            Set.of("x-amz-checksum-mode", "x-amz-optional-object-attributes", "x-amz-expected-bucket-owner"));

    static final Set<String> LIST_BUCKETS = of(OF_A_BODY, Set.of("x-amz-optional-object-attributes"));

    static final Set<String> LIST = of(LIST_BUCKETS, Set.of("x-amz-expected-bucket-owner"));

    /** A small document. */
    static final Set<String> DOCUMENT = of(OF_A_BODY);

    static final Set<String> OWNED_BUCKET = of(DOCUMENT, Set.of("x-amz-expected-bucket-owner"));

    static final Set<String> PUT = of(OF_A_BODY, OF_A_CLIENTS_KEY, OF_STORING);

    static final Set<String> COPY = of(
            OF_A_BODY,
            OF_A_CLIENTS_KEY,
            OF_STORING,
            OF_A_COPY,
            Set.of("x-amz-metadata-directive", "x-amz-tagging-directive", "x-amz-checksum-algorithm"));

    static final Set<String> DELETE =
            of(OF_A_BODY, Set.of("x-amz-bypass-governance-retention", "x-amz-mfa", "x-amz-expected-bucket-owner"));

    static final Set<String> ABORT =
            of(OF_A_BODY, Set.of("x-amz-expected-bucket-owner", "x-amz-if-match-initiated-time"));

    /** Conditions that general S3 buckets have not; a backend that cannot keep them refuses them. */
    static final Set<String> DELETE_ONE =
            of(DELETE, Set.of("x-amz-if-match-last-modified-time", "x-amz-if-match-size"));

    static final Set<String> CREATE_UPLOAD =
            of(OF_A_BODY, OF_A_CLIENTS_KEY, OF_STORING, Set.of("x-amz-checksum-algorithm", "x-amz-checksum-type"));

    static final Set<String> PART = of(
            OF_A_BODY,
            OF_A_CLIENTS_KEY,
            Set.of(
                    "x-amz-server-side-encryption",
                    "x-amz-server-side-encryption-aws-kms-key-id",
                    "x-amz-expected-bucket-owner"));

    static final Set<String> COPY_PART = of(PART, OF_A_COPY, Set.of("x-amz-copy-source-range"));

    static final Set<String> COMPLETE = of(PART, Set.of("x-amz-checksum-type", "x-amz-mp-object-size"));

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
                    "x-amz-checksum-algorithm",
                    "x-amz-bucket-object-lock-token",
                    "x-amz-confirm-remove-self-bucket-access",
                    "x-amz-transition-default-minimum-object-size"),
            OF_A_CLIENTS_KEY);

    private AmzHeaders() {}

    /** Whether {@code name}, in lower case, is understood by an operation with these fields. */
    static boolean understands(Set<String> fields, String name) {
        return fields.contains(name)
                || OF_ALL.contains(name)
                || (name.startsWith("x-amz-meta-") && fields.contains("x-amz-meta-*"));
    }

    /** Whether every operation understands {@code name}, in lower case. */
    static boolean isOfAll(String name) {
        return OF_ALL.contains(name);
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
