package io.millrace.backend.azure;

import io.millrace.backend.http.ObjectKeyEncoding;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.backend.spi.object.ObjectRef;
import java.net.InetSocketAddress;
import java.net.URI;
import java.util.Optional;

/**
 * The Blob service of an account: where requests go.
 *
 * @param basePath of an emulator's account; empty at Azure
 */
record BlobEndpoint(String backend, String scheme, String authority, InetSocketAddress address, String basePath) {
    static BlobEndpoint of(String backend, StorageAccount account) {
        URI url = account.endpoint();
        int standard = url.getScheme().equals("https") ? 443 : 80;
        String path = url.getRawPath() == null ? "" : url.getRawPath();
        return new BlobEndpoint(
                backend,
                url.getScheme(),
                url.getRawAuthority(),
                InetSocketAddress.createUnresolved(url.getHost(), url.getPort() > 0 ? url.getPort() : standard),
                path.endsWith("/") ? path.substring(0, path.length() - 1) : path);
    }

    boolean isSecured() {
        return scheme.equals("https");
    }

    String path(Optional<BucketName> container, Optional<ObjectKey> blob) {
        return basePath
                + "/"
                + container.map(BucketName::value).orElse("")
                + blob.map(key -> "/" + ObjectKeyEncoding.encode(key)).orElse("");
    }

    /** Returns the URL of a blob, without a query. */
    String url(ObjectRef blob) {
        return scheme + "://" + authority + path(Optional.of(blob.bucket()), Optional.of(blob.key()));
    }

    @Override
    public String toString() {
        return "backend '%s' (%s://%s)".formatted(backend, scheme, authority);
    }
}
