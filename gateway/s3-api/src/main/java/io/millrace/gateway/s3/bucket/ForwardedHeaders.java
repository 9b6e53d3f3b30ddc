package io.millrace.gateway.s3.bucket;

import io.millrace.auth.SignedRequest.Parameter;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.gateway.error.S3ErrorCode;
import io.millrace.gateway.error.S3Exception;
import io.millrace.gateway.objects.bucket.BucketView;
import io.millrace.gateway.s3.gate.AuthorizedRequest;
import io.millrace.gateway.s3.protocol.RdmaOffer;
import io.millrace.gateway.s3.protocol.S3Request;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Selects the fields of a request that describe the stored object and go to the backend: headers, and the parameters of
 * presigned URLs that replace them. The router has already rejected unknown fields; fields for the gateway itself are
 * left out.
 */
public final class ForwardedHeaders {
    /** The syntax of header names (RFC 9110, 5.6.2). */
    private static final Pattern TOKEN = Pattern.compile("[!#$%&'*+.^_`|~0-9A-Za-z-]+");

    private static final Set<String> PLAIN = Set.of(
            "content-type", "content-language", "content-disposition", "content-md5", "cache-control", "expires");

    /** Fields for the gateway itself: authentication, framing of the body, the source of a copy. */
    private static final Set<String> OURS = Set.of(
            "x-amz-date",
            "x-amz-content-sha256",
            "x-amz-security-token",
            "x-amz-user-agent",
            "x-amz-api-version",
            "x-amz-te",
            "x-amz-decoded-content-length",
            "x-amz-trailer",
            "x-amz-copy-source",
            "x-amz-copy-source-range",
            "x-amz-algorithm",
            "x-amz-credential",
            "x-amz-expires",
            "x-amz-signedheaders",
            "x-amz-signature");

    /** Leading and trailing optional white space (RFC 9110). */
    private static final Pattern BLANKS = Pattern.compile("^[ \\t]+|[ \\t]+$");

    private static final String META = "x-amz-meta-";

    private static final String ACL = "x-amz-acl";

    /** The limit of user metadata, names and values together, in bytes. */
    private static final int MAX_METADATA = 2048;

    private ForwardedHeaders() {}

    /**
     * Returns the headers for the backend.
     *
     * @throws S3Exception for metadata above the limit, a value that no header can carry, ACL grants to others that the
     *     bucket rejects, or ACLs and locks of a caller without the right to administer
     */
    public static HeaderList of(AuthorizedRequest authorized, BucketView bucket) {
        return checked(
                new HeaderList(all(authorized.request())
                        .filter(ForwardedHeaders::isForTheBackend)
                        .toList()),
                bucket,
                authorized::canAdminister);
    }

    /** Returns whether a field is for the backend; its name is in lower case. */
    public static boolean isOfStoring(String name) {
        return name.startsWith("x-amz-")
                && !OURS.contains(name)
                && !RdmaOffer.isIn(name)
                && !name.startsWith("x-amz-copy-source-if-");
    }

    /**
     * Returns the fields without white space around their values.
     *
     * @param mayAdminister whether the caller may administer the target; evaluated only if needed
     * @throws S3Exception as {@link #of}
     */
    public static HeaderList checked(HeaderList given, BucketView bucket, BooleanSupplier mayAdminister) {
        HeaderList fields = withoutEmptyAcl(withoutBlanks(given));
        fields.fields().forEach(ForwardedHeaders::requireSendable);
        requireSmallMetadata(fields);
        PrivilegedHeaderCheck.check(fields, bucket, mayAdminister);
        return fields;
    }

    /**
     * Returns the headers for the backend of a request that does not store its body as an object: only {@code x-amz-*},
     * and {@code Content-MD5} if the body is stored, because the other headers describe something else.
     */
    public static HeaderList amz(AuthorizedRequest authorized, BucketView bucket, boolean bodyIsStored) {
        return of(authorized, bucket)
                .where(name -> name.startsWith("x-amz-") || (bodyIsStored && name.equals("content-md5")));
    }

    /**
     * Returns the {@code x-amz-*} headers without checksums, for a request whose document is not forwarded unchanged.
     */
    public static HeaderList amzOfDocument(AuthorizedRequest authorized, BucketView bucket) {
        return amz(authorized, bucket, false).where(name -> !name.contains("checksum"));
    }

    /** Joins the values of fields that are sent several times; S3 treats them as one field. */
    private static Stream<HeaderList.HeaderField> all(S3Request request) {
        List<HeaderList.HeaderField> fields = new ArrayList<>();
        for (String name : request.headers().names()) {
            String value = String.join(",", request.headers().all(name));
            if (name.equals("content-encoding")) {
                storedEncoding(value).ifPresent(encoding -> fields.add(new HeaderList.HeaderField(name, encoding)));
            } else {
                fields.add(new HeaderList.HeaderField(name, value));
            }
        }
        for (Parameter parameter : request.query()) {
            String name = parameter.name().toLowerCase(Locale.ROOT);
            // Some SDKs put the checksum of an empty body into a presigned URL.
            boolean counts = name.startsWith("x-amz-") && !name.contains("checksum");
            if (counts && fields.stream().noneMatch(field -> field.name().equals(name))) {
                // One char per byte, as headers are received.
                byte[] bytes = parameter.value().getBytes(StandardCharsets.UTF_8);
                fields.add(new HeaderList.HeaderField(name, new String(bytes, StandardCharsets.ISO_8859_1)));
            }
        }
        return fields.stream();
    }

    /** Returns a Content-Encoding without {@code aws-chunked}, which describes the transfer and not the object. */
    public static Optional<String> storedEncoding(String value) {
        String stored = Stream.of(value.split(",", -1))
                .map(String::strip)
                .filter(encoding -> !encoding.isEmpty() && !encoding.equalsIgnoreCase("aws-chunked"))
                .collect(Collectors.joining(", "));
        return stored.isEmpty() ? Optional.empty() : Optional.of(stored);
    }

    private static boolean isForTheBackend(HeaderList.HeaderField field) {
        String name = field.name();
        return PLAIN.contains(name) || name.equals("content-encoding") || isOfStoring(name);
    }

    /**
     * Removes white space around values: a query or a form may have it, but a header cannot and is signed without it.
     */
    private static HeaderList withoutBlanks(HeaderList fields) {
        if (fields.fields().stream().noneMatch(field -> hasBlanks(field.value()))) {
            return fields;
        }
        return new HeaderList(fields.fields().stream()
                .map(field -> new HeaderList.HeaderField(
                        field.name(), BLANKS.matcher(field.value()).replaceAll("")))
                .toList());
    }

    /** An empty canned ACL is none: s3fs 0.4 sends one with each upload in parts. */
    private static HeaderList withoutEmptyAcl(HeaderList fields) {
        boolean isEmpty = fields.first(ACL).filter(String::isEmpty).isPresent();
        return isEmpty ? fields.where(name -> !name.equals(ACL)) : fields;
    }

    private static boolean hasBlanks(String value) {
        return BLANKS.matcher(value).find();
    }

    private static void requireSendable(HeaderList.HeaderField field) {
        if (!TOKEN.matcher(field.name()).matches()) {
            throw new S3Exception(S3ErrorCode.INVALID_ARGUMENT, "A header cannot have this name")
                    .with("ArgumentName", field.name());
        }
        if (field.value().chars().anyMatch(c -> (c < 0x20 && c != '\t') || c == 0x7F || c > 0xFF)) {
            throw new S3Exception(
                            S3ErrorCode.INVALID_ARGUMENT,
                            "Header value cannot be represented: it holds control characters")
                    .with("ArgumentName", field.name());
        }
    }

    private static void requireSmallMetadata(HeaderList fields) {
        int bytes = 0;
        for (HeaderList.HeaderField field : fields.fields()) {
            if (field.name().startsWith(META)) {
                bytes += field.name().length() - META.length() + field.value().length();
            }
        }
        if (bytes > MAX_METADATA) {
            throw new S3Exception(S3ErrorCode.METADATA_TOO_LARGE)
                    .with("Size", Integer.toString(bytes))
                    .with("MaxSizeAllowed", Integer.toString(MAX_METADATA));
        }
    }
}
