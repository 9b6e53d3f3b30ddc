package io.millrace.backend.s3;

import java.net.URI;
import java.util.Optional;

/**
 * The endpoint of a backend: its name in messages, URL, region, addressing style, whether requests are signed and who
 * pays.
 *
 * @param endpoint without a slash at its end; empty for Amazon's endpoint of the region
 * @param anonymous whether requests have no signature
 */
record S3Endpoint(
        String name,
        Optional<URI> endpoint,
        String region,
        boolean pathStyle,
        boolean anonymous,
        boolean requesterPays) {
    static S3Endpoint of(String name, S3BackendSettings settings) {
        boolean pathStyle = settings.pathStyle().orElse(settings.endpoint().isPresent());
        return new S3Endpoint(
                name,
                settings.endpoint().map(S3Endpoint::withoutSlash),
                settings.region(),
                pathStyle,
                settings.anonymous(),
                settings.requesterPays());
    }

    /** With a slash at the end of the endpoint the SDK would drop one from the key. */
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
