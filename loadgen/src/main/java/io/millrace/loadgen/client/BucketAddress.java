package io.millrace.loadgen.client;

import io.millrace.auth.UriEncoding;
import java.net.URI;

/**
 * Address of a bucket at an S3 endpoint.
 *
 * @param host name or address to send as Host and to expect in the certificate
 * @param port TCP port
 * @param isTls whether the endpoint speaks HTTPS
 * @param address name or address to connect to
 * @param basePath percent-encoded path before the key, with a slash at its end: {@code /} or {@code /bucket/}
 */
public record BucketAddress(String host, String address, int port, boolean isTls, String basePath) {
    /**
     * Returns the address of {@code bucket}.
     *
     * @param uri of the endpoint, without a bucket
     * @param virtualHost whether the bucket is part of the host name instead of the path
     * @throws IllegalArgumentException if {@code uri} is no http or https URI of a host alone
     */
    public static BucketAddress of(URI uri, String bucket, boolean virtualHost) {
        boolean isTls = "https".equalsIgnoreCase(uri.getScheme());
        if (uri.getHost() == null || !(isTls || "http".equalsIgnoreCase(uri.getScheme()))) {
            throw new IllegalArgumentException("not the URL of an endpoint, as http://127.0.0.1:9080: " + uri);
        }
        if (uri.getRawUserInfo() != null
                || uri.getRawQuery() != null
                || !uri.getRawPath().matches("/?")) {
            throw new IllegalArgumentException("an endpoint has no user, path or query: " + uri);
        }
        int port = uri.getPort() >= 0 ? uri.getPort() : isTls ? 443 : 80;
        String host = virtualHost ? bucket + '.' + uri.getHost() : uri.getHost();
        return new BucketAddress(host, host, port, isTls, virtualHost ? "/" : '/' + UriEncoding.ofPath(bucket) + '/');
    }

    /** Returns the endpoint, reached at {@code other} instead of its host. */
    public BucketAddress connectingTo(String other) {
        return new BucketAddress(host, other, port, isTls, basePath);
    }

    /** Returns the request target of a key, or of the bucket if {@code key} is empty. */
    String target(String key, String query) {
        String path = key.isEmpty() && basePath.length() > 1
                ? basePath.substring(0, basePath.length() - 1)
                : basePath + UriEncoding.ofPath(key);
        return query.isEmpty() ? path : path + '?' + query;
    }

    /** Returns the value of the Host header. */
    String hostHeader() {
        return port == (isTls ? 443 : 80) ? host : host + ':' + port;
    }

    /** Returns the URL of the bucket, and the address if it is another one. */
    @Override
    public String toString() {
        String url = (isTls ? "https://" : "http://") + hostHeader() + basePath;
        return address.equals(host) ? url : url + " at " + address;
    }
}
