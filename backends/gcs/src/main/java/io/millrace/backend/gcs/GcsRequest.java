package io.millrace.backend.gcs;

import io.millrace.backend.http.ObjectKeyEncoding;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.backend.spi.object.ObjectRef;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/**
 * A request to Google Cloud Storage before it is authorized.
 *
 * @param path encoded
 * @param query encoded, without the question mark; may be empty
 * @param headers beyond those of every request
 */
record GcsRequest(String method, String path, String query, HeaderList headers) {
    private static final String JSON_API = "/storage/v1/b";
    private static final String UPLOADS = "/upload/storage/v1/b";

    /** A request to all buckets of a project. */
    static GcsRequest buckets(String method) {
        return of(method, JSON_API);
    }

    static GcsRequest bucket(String method, BucketName bucket) {
        return of(method, bucketPath(bucket));
    }

    static GcsRequest objects(String method, BucketName bucket) {
        return of(method, bucketPath(bucket) + "/o");
    }

    static GcsRequest object(String method, ObjectRef object) {
        return of(method, objectPath(object));
    }

    /** A request that composes an object. */
    static GcsRequest compose(ObjectRef target) {
        return of("POST", objectPath(target) + "/compose");
    }

    /** A request that rewrites an object as another. */
    static GcsRequest rewrite(ObjectRef source, ObjectRef target) {
        return of("POST", objectPath(source) + "/rewriteTo" + objectPath(target).substring("/storage/v1".length()));
    }

    /** A request with a body that becomes an object. */
    static GcsRequest upload(BucketName bucket) {
        return of("POST", UPLOADS + "/" + bucket + "/o");
    }

    /** A request to the XML API, whose response has an object and its metadata. */
    static GcsRequest media(ObjectRef object) {
        return of("GET", "/" + object.bucket() + "/" + encode(object.key()));
    }

    /** Returns a copy with one more parameter. */
    GcsRequest with(String name, String value) {
        String parameter = name + "=" + encode(value);
        return new GcsRequest(method, path, query.isEmpty() ? parameter : query + "&" + parameter, headers);
    }

    /** Returns a copy with one more parameter if there is a value. */
    GcsRequest with(String name, Optional<?> value) {
        return value.map(present -> with(name, present.toString())).orElse(this);
    }

    /** Returns a copy with one more parameter unless its value is empty. */
    GcsRequest withNonEmpty(String name, String value) {
        return value.isEmpty() ? this : with(name, value);
    }

    GcsRequest withHeader(String name, String value) {
        return new GcsRequest(method, path, query, headers.with(name, value));
    }

    String target() {
        return query.isEmpty() ? path : path + "?" + query;
    }

    private static GcsRequest of(String method, String path) {
        return new GcsRequest(method, path, "", HeaderList.EMPTY);
    }

    private static String bucketPath(BucketName bucket) {
        return JSON_API + "/" + bucket;
    }

    private static String objectPath(ObjectRef object) {
        return bucketPath(object.bucket()) + "/o/" + encode(object.key());
    }

    /** Encodes slashes too: a key is one component of the path, and {@code ..} in it is no step upwards. */
    private static String encode(ObjectKey key) {
        return ObjectKeyEncoding.encode(key).replace("/", "%2F");
    }

    private static String encode(String value) {
        return URLEncoder.encode(value, StandardCharsets.UTF_8).replace("+", "%20");
    }
}
