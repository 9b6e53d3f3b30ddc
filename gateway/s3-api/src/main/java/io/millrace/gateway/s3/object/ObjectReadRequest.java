package io.millrace.gateway.s3.object;

import io.millrace.backend.spi.Capability;
import io.millrace.backend.spi.ReadRequest;
import io.millrace.backend.spi.ReadRequest.ByteSelection;
import io.millrace.backend.spi.object.ETag;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.RangeSpec;
import io.millrace.backend.spi.object.ReadConditions;
import io.millrace.gateway.error.S3ErrorCode;
import io.millrace.gateway.error.S3Exception;
import io.millrace.gateway.objects.bucket.BucketView;
import io.millrace.gateway.objects.freshness.RequestCacheControl;
import io.millrace.gateway.s3.gate.AuthorizedRequest;
import io.millrace.gateway.s3.protocol.HttpDate;
import io.millrace.gateway.s3.protocol.RequestHeaders;
import io.millrace.gateway.s3.protocol.S3Request;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What a GET or HEAD of an object asks for. Reading it is pure: no backend, no clock.
 *
 * @param request what the backend is asked, before an {@code If-Range} is looked at
 * @param ifRange the content the range is meant for; on any other the whole object is wanted
 * @param overrides fields of the answer that the caller sets ({@code response-content-type} and its like)
 * @param client what the caller wants of the cache
 */
record ObjectReadRequest(
        ReadRequest request, Optional<IfRange> ifRange, HeaderList overrides, RequestCacheControl client) {
    private static final String OVERRIDE = "response-";
    private static final int MAX_PARTS = 10_000;

    private static final List<String> FOR_THE_BACKEND = List.of(
            "x-amz-server-side-encryption-customer-algorithm",
            "x-amz-server-side-encryption-customer-key",
            "x-amz-server-side-encryption-customer-key-md5",
            "x-amz-expected-bucket-owner");

    /** How to encrypt: nothing is, so S3 takes them for a mistake. */
    private static final List<String> OF_WRITES = List.of(
            "x-amz-server-side-encryption",
            "x-amz-server-side-encryption-aws-kms-key-id",
            "x-amz-server-side-encryption-context",
            "x-amz-server-side-encryption-bucket-key-enabled");

    /** A tag of a list: quoted, so that it may hold commas, or bare, as some clients send it. */
    private static final Pattern TAG = Pattern.compile("\\s*(?:W/)?\"[^\"]*\"|[^,]+");

    /**
     * @throws S3Exception if parts of the request contradict each other or make no sense
     */
    static ObjectReadRequest of(AuthorizedRequest admission, BucketView bucket) {
        S3Request request = admission.request();
        RequestHeaders headers = request.headers();
        refuseFieldsOfWrites(request);
        ByteSelection selection = selection(request);
        ReadRequest read = ReadRequest.of(bucket.at(admission.key()))
                .withSelection(selection)
                .withConditions(conditions(headers));
        Optional<String> version = bucket.versionId(request.target().parameter("versionId"));
        if (version.isPresent()) {
            read = read.withVersionId(version.get());
        }
        if (request.amzField("x-amz-checksum-mode")
                .filter("enabled"::equalsIgnoreCase)
                .isPresent()) {
            read = read.withChecksums();
        }
        read = read.withHeaders(forTheBackend(request, bucket));
        Optional<IfRange> ifRange = selection instanceof ByteSelection.RangeSelection
                ? headers.first("if-range").map(IfRange::parse)
                : Optional.empty();
        return new ObjectReadRequest(
                read, ifRange, overrides(admission), RequestCacheControl.parse(headers.all("cache-control")));
    }

    /** The same for the whole object. */
    ReadRequest wholeRequest() {
        return request.withSelection(new ByteSelection.WholeObject());
    }

    private static void refuseFieldsOfWrites(S3Request request) {
        for (String name : OF_WRITES) {
            if (request.amzField(name).isPresent()) {
                throw new S3Exception(
                                S3ErrorCode.INVALID_ARGUMENT, name + " header is not supported for this operation.")
                        .with("ArgumentName", name);
            }
        }
    }

    /** What only a backend that speaks S3 can heed: a key of the client's, whose the bucket is. Such a read passes the cache by. */
    private static HeaderList forTheBackend(S3Request request, BucketView bucket) {
        HeaderList fields = HeaderList.EMPTY;
        for (String name : FOR_THE_BACKEND) {
            Optional<String> value = request.amzField(name);
            if (value.isPresent()) {
                fields = fields.with(name, checked(value.get()));
            }
        }
        if (!fields.fields().isEmpty() && !bucket.backend().capabilities().contains(Capability.FORWARD)) {
            throw new S3Exception(
                            S3ErrorCode.NOT_IMPLEMENTED,
                            "A header you provided implies functionality that is not implemented")
                    .with("Header", fields.fields().get(0).name());
        }
        return fields;
    }

    private static ByteSelection selection(S3Request request) {
        Optional<RangeSpec> range = request.headers().first("range").flatMap(RangeSpec::parse);
        Optional<String> part = request.target().parameter("partNumber");
        if (part.isEmpty()) {
            return range.<ByteSelection>map(ByteSelection.RangeSelection::new)
                    .orElseGet(ByteSelection.WholeObject::new);
        }
        if (range.isPresent()) {
            throw new S3Exception(
                    S3ErrorCode.INVALID_REQUEST, "Cannot specify both Range header and partNumber query parameter");
        }
        return new ByteSelection.PartSelection(partNumber(part.get()));
    }

    private static int partNumber(String text) {
        try {
            int number = Integer.parseInt(text);
            if (number >= 1 && number <= MAX_PARTS) {
                return number;
            }
        } catch (NumberFormatException notANumber) {
            // Answered as any other number that no part has.
        }
        throw new S3Exception(
                        S3ErrorCode.INVALID_ARGUMENT, "Part number must be an integer between 1 and 10000, inclusive")
                .with("ArgumentName", "partNumber")
                .with("ArgumentValue", text);
    }

    private static ReadConditions conditions(RequestHeaders headers) {
        return new ReadConditions(
                tags(headers, "if-match"),
                tags(headers, "if-none-match"),
                headers.first("if-modified-since").flatMap(HttpDate::parse),
                headers.first("if-unmodified-since").flatMap(HttpDate::parse));
    }

    private static Optional<List<ETag>> tags(RequestHeaders headers, String name) {
        List<String> values = headers.all(name);
        if (values.isEmpty()) {
            return Optional.empty();
        }
        List<ETag> tags = new ArrayList<>();
        Matcher matcher = TAG.matcher(String.join(",", values));
        while (matcher.find()) {
            String tag = matcher.group().strip();
            if (tag.equals("*")) {
                return Optional.of(ReadConditions.ANY);
            }
            if (!tag.isEmpty()) {
                tags.add(ETag.parse(tag));
            }
        }
        // No tag at all is no "*": a tag that nothing has keeps the meaning.
        return Optional.of(tags.isEmpty() ? List.of(ETag.strong("")) : tags);
    }

    private static HeaderList overrides(AuthorizedRequest admission) {
        HeaderList overrides = HeaderList.EMPTY;
        for (var parameter : admission.request().query()) {
            String field =
                    parameter.name().startsWith(OVERRIDE) ? parameter.name().substring(OVERRIDE.length()) : "";
            if (!field.isEmpty() && overrides.first(field).isEmpty()) {
                overrides = overrides.with(field, checked(parameter.value()));
            }
        }
        if (!overrides.fields().isEmpty() && !admission.isSigned()) {
            // Else anybody could turn a public object into a page of this host.
            throw new S3Exception(
                    S3ErrorCode.INVALID_REQUEST,
                    "Request specific response headers cannot be used for anonymous GET requests.");
        }
        return overrides;
    }

    /** Without the blanks around it, which no field has: its first byte is none. */
    private static String checked(String value) {
        if (value.chars().anyMatch(c -> c < 0x20 || c == 0x7F || c > 0xFF)) {
            throw new S3Exception(
                    S3ErrorCode.INVALID_ARGUMENT,
                    "Header value cannot be represented: it holds control characters, or such as ISO-8859-1 has not");
        }
        return value.strip();
    }
}
