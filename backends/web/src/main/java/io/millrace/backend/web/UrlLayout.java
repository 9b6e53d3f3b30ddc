package io.millrace.backend.web;

import io.millrace.backend.http.ObjectKeyEncoding;
import io.millrace.backend.http.WebUrl;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.backend.spi.object.ObjectRef;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * The URLs of objects and folders below a backend's URL. A key is the path below its bucket, percent-encoded once.
 *
 * @param root ends in a slash
 * @param bucketInPath whether the bucket's name is the first folder
 */
record UrlLayout(WebUrl root, boolean bucketInPath) {
    /**
     * Components that servers resolve: {@code .} and {@code ..}, also before a semicolon, and between the slashes of
     * Windows.
     */
    private static final Pattern DOTS = Pattern.compile("(^|[/\\\\])\\.\\.?(;[^/\\\\]*)?([/\\\\]|$)");

    /** Returns the layout below this URL. */
    static UrlLayout of(WebUrl url, boolean bucketInPath) {
        return new UrlLayout(url.path().endsWith("/") ? url : url.withPath(url.path() + "/"), bucketInPath);
    }

    /** Returns the URL of a bucket's folder. */
    WebUrl bucket(BucketName name) {
        return bucketInPath ? root.withPath(root.path() + name.value() + "/") : root;
    }

    /**
     * Returns the URL of an object. Empty if no web server has an object of this key: it ends in a slash, as folders
     * do, or has a component that a server would resolve to another path.
     */
    Optional<WebUrl> object(ObjectRef object) {
        String key = object.key().value();
        return key.endsWith("/") ? Optional.empty() : below(object.bucket(), key);
    }

    /**
     * Returns the URL of a folder in a bucket; empty as for {@link #object}.
     *
     * @param prefix of all keys in it: empty, or with a slash at its end
     */
    Optional<WebUrl> folder(BucketName bucket, String prefix) {
        return prefix.isEmpty() ? Optional.of(bucket(bucket)) : below(bucket, prefix);
    }

    private Optional<WebUrl> below(BucketName bucket, String path) {
        WebUrl folder = bucket(bucket);
        boolean isAuthority = folder.path().equals("/") && path.startsWith("/");
        return isAuthority || DOTS.matcher(path).find()
                ? Optional.empty()
                : Optional.of(folder.withPath(folder.path() + ObjectKeyEncoding.encode(new ObjectKey(path))));
    }
}
