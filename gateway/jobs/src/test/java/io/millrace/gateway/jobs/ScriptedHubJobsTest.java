package io.millrace.gateway.jobs;

import io.millrace.gateway.read.HubOriginFixture;
import io.millrace.gateway.read.OriginFixture;
import java.io.IOException;

/** Jobs over repositories of a scripted Hub. */
class ScriptedHubJobsTest extends BackendJobsSuite {
    @Override
    OriginFixture connect() throws IOException {
        return HubOriginFixture.start();
    }
}
