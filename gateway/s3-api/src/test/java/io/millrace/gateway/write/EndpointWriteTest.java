package io.millrace.gateway.write;

import io.millrace.gateway.read.EnvironmentOrigin;
import io.millrace.gateway.read.OriginFixture;
import java.io.IOException;
import java.util.Set;

/**
 * The suite over the server of this machine that the environment names, see {@link EnvironmentOrigin}. Skipped without
 * one.
 */
class EndpointWriteTest extends S3WriteSuite implements PayloadCases, WriteKeyCases, BucketWriteCases {
    @Override
    protected OriginFixture connect() throws IOException {
        return EnvironmentOrigin.connect();
    }

    @Override
    public Set<OptionalFeature> abilities() {
        return OptionalFeature.of(EnvironmentOrigin.server());
    }
}
