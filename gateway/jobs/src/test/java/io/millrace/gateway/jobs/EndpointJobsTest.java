package io.millrace.gateway.jobs;

import io.millrace.gateway.read.EnvironmentOrigin;
import io.millrace.gateway.read.OriginFixture;
import java.io.IOException;

/**
 * Jobs over the server of this machine that the environment names, see {@link EnvironmentOrigin}. Skipped without one.
 */
class EndpointJobsTest extends BackendJobsSuite {
    @Override
    OriginFixture connect() throws IOException {
        return EnvironmentOrigin.connect();
    }
}
