package io.millrace.backend.spi;

import io.millrace.backend.spi.checksum.ChecksumAlgorithm;
import java.util.Set;

/** The names of the response headers that describe an object and are passed on to clients; all others are dropped. */
public final class ObjectHeaderNames {
    private static final Set<String> ALLOWED = Set.of(
            "content-type",
            "content-encoding",
            "content-language",
            "content-disposition",
            "cache-control",
            "expires",
            "x-amz-version-id",
            "x-amz-delete-marker",
            "x-amz-mp-parts-count",
            "x-amz-storage-class",
            "x-amz-tagging-count",
            "x-amz-missing-meta",
            "x-amz-restore",
            "x-amz-expiration",
            "x-amz-archive-status",
            "x-amz-replication-status",
            "x-amz-website-redirect-location",
            "x-amz-object-lock-mode",
            "x-amz-object-lock-retain-until-date",
            "x-amz-object-lock-legal-hold",
            "x-amz-server-side-encryption",
            "x-amz-server-side-encryption-aws-kms-key-id",
            "x-amz-server-side-encryption-bucket-key-enabled",
            "x-amz-server-side-encryption-customer-algorithm",
            "x-amz-server-side-encryption-customer-key-md5");

    private ObjectHeaderNames() {}

    /** Returns whether the header {@code name}, in lower case, describes an object. */
    public static boolean contains(String name) {
        return ALLOWED.contains(name) || name.startsWith("x-amz-meta-") || ChecksumAlgorithm.isHeader(name);
    }
}
