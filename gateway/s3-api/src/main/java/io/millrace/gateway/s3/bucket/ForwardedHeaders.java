package io.millrace.gateway.s3.bucket;

import io.millrace.auth.SignedRequest.Parameter;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.gateway.error.S3ErrorCode;
import io.millrace.gateway.error.S3Exception;
import io.millrace.gateway.objects.bucket.BucketView;
import io.millrace.gateway.s3.gate.AuthorizedRequest;
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
 * The fields of a request that say how an object is to be stored, for the backend: header fields, and the parameters of
 * presigned URLs that stand for them. The router has refused what nobody knows; what is said to the gateway stays here.
 */
public final class ForwardedHeaders {
    /** What names of header fields are made of (RFC 9110, 5.6.2). */
    private static final Pattern TOKEN = Pattern.compile("[!#$%&'*+.^_`|~0-9A-Za-z-]+");

    private static final Set<String> PLAIN = Set.of(
            "content-type", "content-language", "content-disposition", "content-md5", "cache-control", "expires");

    /** Said to the gateway: who asks, how the body is framed, what is copied from where. */
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

    /** RFC 9110's optional white space, at either end. */
    private static final Pattern BLANKS = Pattern.compile("^[ \\t]+|[ \\t]+$");

    private static final String META = "x-amz-meta-";

    /** Names and values of user metadata together. */
    private static final int MAX_METADATA = 2048;

    private ForwardedHeaders() {}

    /**
     * The fields for the backend.
     *
     * @throws S3Exception for metadata that is too large, a value that no header can carry, rights for others where the
     *     bucket refuses to store them, or rights and locks of a caller who may not administer
     */
    public static HeaderList of(AuthorizedRequest admission, BucketView bucket) {
        return checked(
                new HeaderList(all(admission.request())
                        .filter(ForwardedHeaders::isForTheBackend)
                        .toList()),
                bucket,
                admission::canAdminister);
    }

    /** Whether a field of this name, in lower case, is for the backend. */
    public static boolean isOfStoring(String name) {
        return name.startsWith("x-amz-") && !OURS.contains(name) && !name.startsWith("x-amz-copy-source-if-");
    }

    /**
     * The same fields, without the blanks around their values.
     *
     * @param mayAdminister whether the caller may administer what is written; asked where it matters
     * @throws S3Exception as {@link #of}
     */
    public static HeaderList checked(HeaderList given, BucketView bucket, BooleanSupplier mayAdminister) {
        HeaderList fields = withoutBlanks(given);
        fields.fields().forEach(ForwardedHeaders::requireSendable);
        requireSmallMetadata(fields);
        PrivilegedHeaders.check(fields, bucket, mayAdminister);
        return fields;
    }

    /**
     * The same of a request that stores no object of its own, whose plain fields speak of something else: only
     * {@code x-amz-*}, and {@code Content-MD5} where the body is stored.
     */
    public static HeaderList amz(AuthorizedRequest admission, BucketView bucket, boolean bodyIsStored) {
        return new HeaderList(of(admission, bucket).fields().stream()
                .filter(field -> field.name().startsWith("x-amz-")
                        || (bodyIsStored && field.name().equals("content-md5")))
                .toList());
    }

    /** The {@code x-amz-*} fields of a request whose document is not passed on as it is: without its checksums. */
    public static HeaderList amzOfDocument(AuthorizedRequest admission, BucketView bucket) {
        return new HeaderList(amz(admission, bucket, false).fields().stream()
                .filter(field -> !field.name().contains("checksum"))
                .toList());
    }

    /** Metadata and other fields that may come in several lines are one field to S3. */
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
            // The checksums that some SDKs put into a presigned URL are of no body.
            boolean counts = name.startsWith("x-amz-") && !name.contains("checksum");
            if (counts && fields.stream().noneMatch(field -> field.name().equals(name))) {
                // As the bytes of a header come: one char each.
                byte[] bytes = parameter.value().getBytes(StandardCharsets.UTF_8);
                fields.add(new HeaderList.HeaderField(name, new String(bytes, StandardCharsets.ISO_8859_1)));
            }
        }
        return fields.stream();
    }

    /** A Content-Encoding without {@code aws-chunked}, which says how the body came, not what it is. */
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

    /** A query or a form may have blanks around a value; a field cannot, and was signed without them. */
    private static HeaderList withoutBlanks(HeaderList fields) {
        if (fields.fields().stream().noneMatch(field -> hasBlanks(field.value()))) {
            return fields;
        }
        return new HeaderList(fields.fields().stream()
                .map(field -> new HeaderList.HeaderField(
                        field.name(), BLANKS.matcher(field.value()).replaceAll("")))
                .toList());
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
