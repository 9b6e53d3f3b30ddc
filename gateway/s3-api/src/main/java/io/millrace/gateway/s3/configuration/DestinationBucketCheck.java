package io.millrace.gateway.s3.configuration;

import io.millrace.backend.spi.object.BucketName;
import io.millrace.gateway.error.S3ErrorCode;
import io.millrace.gateway.error.S3Exception;
import io.millrace.gateway.s3.protocol.S3Operation;
import io.millrace.kit.XmlElement;
import io.millrace.kit.XmlParser;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * Checks that the caller may use the destination buckets that a configuration document names, such as for logging or
 * replication. The backend writes with the gateway's rights, so the caller needs the right as well.
 */
final class DestinationBucketCheck {
    private DestinationBucketCheck() {}

    /**
     * @param isTheirs whether the caller may have a bucket written to
     * @throws S3Exception AccessDenied if the caller may not; NotImplemented for output locations that are not checked
     */
    static void check(S3Operation operation, byte[] document, Predicate<BucketName> isTheirs) {
        switch (operation) {
            case PUT_BUCKET_LOGGING -> require(document, "BucketLoggingStatus", "TargetBucket", isTheirs);
            case PUT_BUCKET_REPLICATION -> require(document, "ReplicationConfiguration", "Bucket", isTheirs);
            case PUT_BUCKET_ANALYTICS_CONFIGURATION -> require(document, "AnalyticsConfiguration", "Bucket", isTheirs);
            case PUT_BUCKET_INVENTORY_CONFIGURATION -> require(document, "InventoryConfiguration", "Bucket", isTheirs);
            case RESTORE_OBJECT -> refuseOutput(document);
            default -> {}
        }
    }

    private static void require(byte[] document, String root, String element, Predicate<BucketName> isTheirs) {
        for (String named : texts(XmlParser.parse(document, root), element)) {
            if (bucket(named).filter(isTheirs).isEmpty()) {
                throw new S3Exception(
                        S3ErrorCode.ACCESS_DENIED,
                        "The document names a bucket that is not on the same backend under the same name, or that you"
                                + " may not configure.");
            }
        }
    }

    /** Rejects a restore that queries the archive, because it names a bucket for the result. */
    private static void refuseOutput(byte[] document) {
        if (document.length == 0) {
            return;
        }
        XmlElement request = XmlParser.parse(document, "RestoreRequest");
        for (String element : List.of("OutputLocation", "SelectParameters")) {
            if (!texts(request, element).isEmpty()) {
                throw new S3Exception(S3ErrorCode.NOT_IMPLEMENTED, "An archive is restored here, and not queried.");
            }
        }
    }

    /** Returns the bucket in a name or an ARN, which ends in one. */
    private static Optional<BucketName> bucket(String named) {
        String name = named.strip();
        try {
            return Optional.of(new BucketName(name.substring(name.lastIndexOf(':') + 1)));
        } catch (IllegalArgumentException noName) {
            return Optional.empty();
        }
    }

    /** Returns the texts of all elements with a name, at any depth, because backends differ in which they read. */
    private static List<String> texts(XmlElement element, String name) {
        List<String> texts = new ArrayList<>();
        for (XmlElement child : element.children()) {
            if (child.name().equals(name)) {
                texts.add(child.text());
            }
            texts.addAll(texts(child, name));
        }
        return texts;
    }
}
