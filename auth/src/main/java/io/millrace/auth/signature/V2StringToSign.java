package io.millrace.auth.signature;

import io.millrace.auth.RequestVerificationException;
import io.millrace.auth.RequestVerificationException.Code;
import io.millrace.auth.SignedRequest;
import io.millrace.auth.SignedRequest.Parameter;
import io.millrace.auth.UriEncoding;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.SortedMap;
import java.util.StringJoiner;
import java.util.TreeMap;

/**
 * Builds the string to sign of AWS Signature Version 2:
 *
 * <pre>
 * method
 * Content-MD5
 * Content-Type
 * Expires
 * name:value of each x-amz- header, a line each, sorted
 * /bucket/path as sent, and those parameters that name a sub-resource or change the answer's headers
 * </pre>
 *
 * <p>Clients that presign URLs put x-amz- headers, content-type and content-md5 into the query, where they count as
 * headers.
 *
 * @see <a href="https://docs.aws.amazon.com/AmazonS3/latest/API/RESTAuthentication.html">Signing REST requests</a>
 */
final class V2StringToSign {
    private static final String AMZ_PREFIX = "x-amz-";

    /** Parameters listed on S3's page on version 2, and those that botocore adds. */
    private static final Set<String> SIGNED_PARAMETERS = Set.of(
            "accelerate",
            "acl",
            "analytics",
            "cors",
            "defaultObjectAcl",
            "delete",
            "inventory",
            "lifecycle",
            "location",
            "logging",
            "metrics",
            "notification",
            "object-lock",
            "partNumber",
            "policy",
            "replication",
            "requestPayment",
            "response-cache-control",
            "response-content-disposition",
            "response-content-encoding",
            "response-content-language",
            "response-content-type",
            "response-expires",
            "restore",
            "select",
            "select-type",
            "storageClass",
            "tagging",
            "torrent",
            "uploadId",
            "uploads",
            "versionId",
            "versioning",
            "versions",
            "website");

    /** Parameters that only narrow or page a listing, or have no effect: S3 does not sign them in version 2. */
    private static final Set<String> HARMLESS_PARAMETERS = Set.of(
            "content-md5",
            "content-type",
            "continuation-token",
            "delimiter",
            "encoding-type",
            "fetch-owner",
            "key-marker",
            "list-type",
            "marker",
            "max-keys",
            "max-parts",
            "max-uploads",
            "part-number-marker",
            "prefix",
            "start-after",
            "upload-id-marker",
            "version-id-marker",
            "x-id");

    private V2StringToSign() {}

    /** Returns the string to sign; one char is one byte. */
    static String of(SignedRequest request, String expires) throws RequestVerificationException {
        StringBuilder text = new StringBuilder(256);
        text.append(request.method()).append('\n');
        text.append(value(request, "content-md5")).append('\n');
        text.append(value(request, "content-type")).append('\n');
        text.append(expires).append('\n');
        amzHeaders(request)
                .forEach((name, value) ->
                        text.append(name).append(':').append(value).append('\n'));
        return text.append(resource(request)).toString();
    }

    private static String value(SignedRequest request, String name) throws RequestVerificationException {
        String inHeader = SingleValueHeaderReader.find(request, name);
        if (inHeader != null) {
            return inHeader.strip();
        }
        for (Parameter parameter : request.query()) {
            if (parameter.name().equals(name)) {
                return bytes(parameter.value());
            }
        }
        return "";
    }

    private static SortedMap<String, String> amzHeaders(SignedRequest request) throws RequestVerificationException {
        SortedMap<String, String> headers = new TreeMap<>();
        for (String name : request.headerNames()) {
            if (name.startsWith(AMZ_PREFIX)) {
                headers.put(name, joined(request.headerValues(name)));
            }
        }
        for (Parameter parameter : request.query()) {
            String name = parameter.name().toLowerCase(Locale.ROOT);
            if (name.startsWith(AMZ_PREFIX) && headers.put(name, bytes(parameter.value())) != null) {
                throw new RequestVerificationException(
                        Code.INVALID_ARGUMENT, "The request has " + name + " more than once.");
            }
        }
        return headers;
    }

    private static String joined(List<String> values) {
        StringJoiner joined = new StringJoiner(",");
        values.forEach(value -> joined.add(value.strip()));
        return joined.toString();
    }

    private static String resource(SignedRequest request) throws RequestVerificationException {
        StringBuilder resource = new StringBuilder();
        request.virtualHostBucket().ifPresent(bucket -> resource.append('/').append(bucket));
        resource.append(request.rawPath().orElseGet(() -> UriEncoding.ofPath(request.path())));
        List<Parameter> signed = new ArrayList<>();
        for (Parameter parameter : request.query()) {
            if (SIGNED_PARAMETERS.contains(parameter.name())) {
                signed.add(parameter);
            } else {
                requireHarmless(parameter.name());
            }
        }
        signed.sort(Comparator.comparing(Parameter::name));
        for (int i = 0; i < signed.size(); i++) {
            resource.append(i == 0 ? '?' : '&').append(signed.get(i).name());
            String value = signed.get(i).value();
            resource.append(value.isEmpty() ? "" : "=").append(value);
        }
        return bytes(resource.toString());
    }

    private static void requireHarmless(String name) throws RequestVerificationException {
        boolean counted = SignatureQueryParameter.find(name) != null
                || name.toLowerCase(Locale.ROOT).startsWith(AMZ_PREFIX)
                || HARMLESS_PARAMETERS.contains(name);
        if (!counted) {
            throw new RequestVerificationException(
                    Code.ACCESS_DENIED,
                    "Signature Version 2 does not cover the parameter " + name + ". Presign with Version 4.");
        }
    }

    private static String bytes(String text) {
        return new String(text.getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1);
    }
}
