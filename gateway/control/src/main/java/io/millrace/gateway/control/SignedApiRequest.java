package io.millrace.gateway.control;

import io.millrace.auth.SignedRequest;
import io.millrace.gateway.error.PercentDecoder;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.springframework.http.server.reactive.ServerHttpRequest;

/**
 * Adapts an API request to the signature verifier.
 *
 * @param path as sent, of characters that need no decoding
 * @param query decoded
 */
record SignedApiRequest(ServerHttpRequest request, String path, List<Parameter> query) implements SignedRequest {
    /**
     * @throws io.millrace.gateway.error.S3Exception (400) for a bad escape in the query
     */
    static SignedApiRequest of(ServerHttpRequest request) {
        String query = request.getURI().getRawQuery();
        return new SignedApiRequest(
                request, request.getURI().getRawPath(), query == null ? List.of() : PercentDecoder.decodeQuery(query));
    }

    @Override
    public String method() {
        return request.getMethod().name();
    }

    @Override
    public Optional<String> virtualHostBucket() {
        return Optional.empty();
    }

    @Override
    public List<String> headerValues(String lowerCaseName) {
        return request.getHeaders().getOrEmpty(lowerCaseName);
    }

    @Override
    public List<String> headerNames() {
        return request.getHeaders().headerNames().stream()
                .map(name -> name.toLowerCase(Locale.ROOT))
                .distinct()
                .toList();
    }
}
