package io.millrace.gateway.s3.gate;

import io.millrace.auth.SignedRequest;
import java.util.List;
import java.util.Optional;

/** Wraps a request and hides its checksum headers, because they describe an object and not the request body. */
record ChecksumHidingRequest(SignedRequest request) implements SignedRequest {
    private static final String CHECKSUM = "checksum";

    @Override
    public String method() {
        return request.method();
    }

    @Override
    public String path() {
        return request.path();
    }

    @Override
    public Optional<String> rawPath() {
        return request.rawPath();
    }

    @Override
    public List<Parameter> query() {
        return request.query();
    }

    @Override
    public Optional<String> virtualHostBucket() {
        return request.virtualHostBucket();
    }

    @Override
    public List<String> headerValues(String lowerCaseName) {
        return lowerCaseName.contains(CHECKSUM) ? List.of() : request.headerValues(lowerCaseName);
    }

    @Override
    public List<String> headerNames() {
        return request.headerNames().stream()
                .filter(name -> !name.contains(CHECKSUM))
                .toList();
    }
}
