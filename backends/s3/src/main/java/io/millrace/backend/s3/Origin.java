package io.millrace.backend.s3;

import java.net.URI;
import java.util.Optional;

/**
 * Where a backend is, in words and for the SDK.
 *
 * @param endpoint without a slash at its end; empty for Amazon's own
 */
record Origin(String name, Optional<URI> endpoint, String region, boolean pathStyle) {
    static Origin of(String name, S3BackendSettings settings) {
        boolean pathStyle = settings.pathStyle().orElse(settings.endpoint().isPresent());
        return new Origin(name, settings.endpoint().map(Origin::withoutSlash), settings.region(), pathStyle);
    }

    /** The SDK takes a slash off the key for one that ends the endpoint. */
    private static URI withoutSlash(URI endpoint) {
        String text = endpoint.toString();
        int end = text.length();
        while (text.charAt(end - 1) == '/') {
            end--;
        }
        return URI.create(text.substring(0, end));
    }

    @Override
    public String toString() {
        return "backend '%s' (%s)".formatted(name, endpoint.map(URI::toString).orElse("Amazon S3 in " + region));
    }
}
