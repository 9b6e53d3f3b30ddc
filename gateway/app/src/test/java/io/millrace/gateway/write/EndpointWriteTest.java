package io.millrace.gateway.write;

import io.millrace.gateway.read.OriginFixture;
import io.millrace.gateway.read.S3OriginFixture;
import java.util.Set;

/**
 * The suite over any S3 server of this machine: {@code MILLRACE_TEST_S3_ENDPOINT}, {@code _ACCESS_KEY} and
 * {@code _SECRET_KEY} say which, and {@code _SERVER} whether it is one of those whose ways are known. Skipped without them.
 */
class EndpointWriteTest extends S3WriteSuite implements PayloadCases, WriteKeyCases, BucketWriteCases {
    @Override
    protected OriginFixture connect() {
        return S3OriginFixture.ofEnvironment();
    }

    @Override
    public Set<OptionalFeature> abilities() {
        return OptionalFeature.of(System.getenv().getOrDefault("MILLRACE_TEST_S3_SERVER", ""));
    }
}
