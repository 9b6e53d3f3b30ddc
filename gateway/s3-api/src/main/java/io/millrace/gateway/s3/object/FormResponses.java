package io.millrace.gateway.s3.object;

import io.millrace.auth.UriEncoding;
import io.millrace.backend.spi.ObjectWriter.WriteResult;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.ETag;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.gateway.s3.protocol.S3Response;
import io.millrace.kit.XmlWriter;
import java.net.URI;
import java.util.Map;
import java.util.Optional;

/** Builds the response to a browser upload: a redirect, a document, or nothing, as the form's fields request. */
final class FormResponses {
    private FormResponses() {}

    /** @param location the URL of the object */
    static S3Response of(
            BucketName bucket, ObjectKey key, String location, Map<String, String> fields, WriteResult written) {
        String tag = written.eTag().map(ETag::toString).orElse("");
        HeaderList headers = written.headers().with("etag", tag).with("location", location);
        Optional<String> redirect = redirect(fields, bucket, key, tag);
        if (redirect.isPresent()) {
            return S3Response.empty(303, written.headers().with("etag", tag).with("location", redirect.get()));
        }
        return switch (fields.getOrDefault("success_action_status", "")) {
            case "200" -> S3Response.empty(200, headers);
            case "201" ->
                S3Response.xml(
                        201,
                        headers,
                        XmlWriter.plain("PostResponse")
                                .element("Location", location)
                                .element("Bucket", bucket.value())
                                .element("Key", key.value())
                                .element("ETag", tag)
                                .bytes());
            default -> S3Response.empty(204, headers);
        };
    }

    /** Returns the redirect of the browser; empty if the address is not http or https. */
    private static Optional<String> redirect(Map<String, String> fields, BucketName bucket, ObjectKey key, String tag) {
        String target = fields.getOrDefault("success_action_redirect", fields.getOrDefault("redirect", ""));
        try {
            URI address = URI.create(target);
            boolean web = "http".equalsIgnoreCase(address.getScheme()) || "https".equalsIgnoreCase(address.getScheme());
            if (!web || address.getHost() == null) {
                return Optional.empty();
            }
            String result = "bucket=%s&key=%s&etag=%s"
                    .formatted(
                            UriEncoding.ofQuery(bucket.value()),
                            UriEncoding.ofQuery(key.value()),
                            UriEncoding.ofQuery(tag));
            String[] text = address.toASCIIString().split("(?=#)", 2);
            String fragment = text.length == 2 ? text[1] : "";
            return Optional.of(text[0] + (address.getRawQuery() == null ? "?" : "&") + result + fragment);
        } catch (IllegalArgumentException noAddress) {
            return Optional.empty();
        }
    }
}
