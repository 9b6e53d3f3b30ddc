package io.millrace.gateway.s3.object;

import io.millrace.backend.spi.Capability;
import io.millrace.backend.spi.ReadRequest;
import io.millrace.backend.spi.ReadRequest.ByteSelection;
import io.millrace.backend.spi.checksum.ChecksumAlgorithm;
import io.millrace.backend.spi.object.ETag;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.ObjectRef;
import io.millrace.backend.spi.object.RangeSpec;
import io.millrace.backend.spi.object.ReadConditions;
import io.millrace.gateway.error.S3ErrorCode;
import io.millrace.gateway.error.S3Exception;
import io.millrace.gateway.objects.bucket.BucketView;
import io.millrace.gateway.objects.read.RequestCacheControl;
import io.millrace.gateway.s3.gate.AuthorizedRequest;
import io.millrace.gateway.s3.protocol.RequestHeaders;
import io.millrace.gateway.s3.protocol.S3Request;
import io.millrace.kit.HttpDate;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The parameters and headers of a GetObject or HeadObject request. Parsing is pure: no backend, no clock.
 *
 * @param request the read for the backend, before {@code If-Range} is evaluated
 * @param ifRange the version to which the range applies; for any other version the whole object is returned
 * @param overrides response headers that the caller sets ({@code response-content-type} and the like)
 * @param client the Cache-Control of the caller
 */
record ObjectReadRequest(
        ReadRequest request, Optional<IfRange> ifRange, HeaderList overrides, RequestCacheControl client) {
    private static final String OVERRIDE = "response-";
    private static final int MAX_PARTS = 10_000;

    private static final String EXPECTED_OWNER = "x-amz-expected-bucket-owner";

    private static final List<String> FOR_THE_BACKEND = List.of(
            "x-amz-server-side-encryption-customer-algorithm",
            "x-amz-server-side-encryption-customer-key",
            "x-amz-server-side-encryption-customer-key-md5",
            EXPECTED_OWNER);

    /** Encryption headers of writes; S3 rejects them on reads. */
    private static final List<String> OF_WRITES = List.of(
            "x-amz-server-side-encryption",
            "x-amz-server-side-encryption-aws-kms-key-id",
            "x-amz-server-side-encryption-context",
            "x-amz-server-side-encryption-bucket-key-enabled");

    /** A tag in a list: quoted, so that it may contain commas, or unquoted, as some clients send it. */
    private static final Pattern TAG = Pattern.compile("\\s*(?:W/)?\"[^\"]*\"|[^,]+");

    /** @throws S3Exception if parts of the request are invalid or contradict each other */
    static ObjectReadRequest of(AuthorizedRequest authorized, BucketView bucket) {
        S3Request request = authorized.request();
        RequestHeaders headers = request.headers();
        refuseFieldsOfWrites(request);
        ByteSelection selection = selection(request);
        ReadRequest read = ReadRequest.of(bucket.at(authorized.key()))
                .withSelection(selection)
                .withConditions(conditions(headers));
        Optional<String> version = bucket.versionId(request.target().parameter("versionId"));
        if (version.isPresent()) {
            read = read.withVersionId(version.get());
        }
        if (request.amzField(ChecksumAlgorithm.MODE_HEADER)
                .filter("enabled"::equalsIgnoreCase)
                .isPresent()) {
            read = read.withChecksums();
        }
        read = read.withHeaders(forTheBackend(request, bucket));
        Optional<IfRange> ifRange = selection instanceof ByteSelection.RangeSelection
                ? headers.first("if-range").map(IfRange::parse)
                : Optional.empty();
        return new ObjectReadRequest(
                read, ifRange, overrides(authorized), RequestCacheControl.parse(headers.all("cache-control")));
    }

    /**
     * Returns a read of an object that has no request of S3 of its own: its range and its preconditions.
     *
     * @param client the cache directives
     * @param forTheBackend further headers; with any, the read bypasses the cache
     */
    static ObjectReadRequest of(
            ObjectRef object, RequestHeaders headers, RequestCacheControl client, HeaderList forTheBackend) {
        Optional<RangeSpec> range = headers.first("range").flatMap(RangeSpec::parse);
        ReadRequest read = ReadRequest.of(object)
                .withSelection(range.<ByteSelection>map(ByteSelection.RangeSelection::new)
                        .orElseGet(ByteSelection.WholeObject::new))
                .withConditions(conditions(headers))
                .withHeaders(forTheBackend);
        Optional<IfRange> ifRange =
                range.flatMap(any -> headers.first("if-range")).map(IfRange::parse);
        return new ObjectReadRequest(read, ifRange, HeaderList.EMPTY, client);
    }

    /** Returns the read of an object of which two contents may have the same date: its tag alone tells them apart. */
    ObjectReadRequest byTag() {
        ReadRequest undated = request.withConditions(request.conditions().withoutIfModifiedSince());
        return new ObjectReadRequest(undated, ifRange.map(IfRange::byTag), overrides, client);
    }

    /** Returns the read of the whole object. */
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

    /**
     * Returns the headers that only the backend can evaluate: a customer-provided key, the expected owner. Such a
     * read bypasses the cache.
     */
    private static HeaderList forTheBackend(S3Request request, BucketView bucket) {
        HeaderList fields = HeaderList.EMPTY;
        for (String name : FOR_THE_BACKEND) {
            Optional<String> value = request.amzField(name);
            if (value.isPresent()) {
                fields = fields.with(name, checked(value.get()));
            }
        }
        fields.fields().forEach(field -> requireEvaluated(field.name(), bucket));
        return fields;
    }

    private static void requireEvaluated(String field, BucketView bucket) {
        Capability required = field.equals(EXPECTED_OWNER) ? Capability.EXPECTED_OWNER : Capability.CUSTOMER_KEYS;
        if (!bucket.backend().capabilities().contains(required)) {
            throw new S3Exception(
                            S3ErrorCode.NOT_IMPLEMENTED,
                            "A header you provided implies functionality that is not implemented")
                    .with("Header", field);
        }
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
            // Rejected below, as a number out of range is.
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
        // An empty list is not "*": a tag that matches nothing keeps the meaning.
        return Optional.of(tags.isEmpty() ? List.of(ETag.strong("")) : tags);
    }

    private static HeaderList overrides(AuthorizedRequest authorized) {
        HeaderList overrides = HeaderList.EMPTY;
        for (var parameter : authorized.request().query()) {
            String field =
                    parameter.name().startsWith(OVERRIDE) ? parameter.name().substring(OVERRIDE.length()) : "";
            if (!field.isEmpty() && overrides.first(field).isEmpty()) {
                overrides = overrides.with(field, checked(parameter.value()));
            }
        }
        if (!overrides.fields().isEmpty() && !authorized.isSigned()) {
            // Otherwise anyone could turn a public object into a web page of this host.
            throw new S3Exception(
                    S3ErrorCode.INVALID_REQUEST,
                    "Request specific response headers cannot be used for anonymous GET requests.");
        }
        return overrides;
    }

    /** Returns a value without leading and trailing white space; rejects one that no header can carry. */
    private static String checked(String value) {
        if (value.chars().anyMatch(c -> c < 0x20 || c == 0x7F || c > 0xFF)) {
            throw new S3Exception(
                    S3ErrorCode.INVALID_ARGUMENT,
                    "Header value cannot be represented: it holds control characters, or such as ISO-8859-1 has not");
        }
        return value.strip();
    }
}
