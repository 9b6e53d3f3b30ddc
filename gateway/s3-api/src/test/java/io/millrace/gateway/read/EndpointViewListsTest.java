package io.millrace.gateway.read;

import java.io.IOException;

/**
 * The suite over the server of this machine that the environment names, see {@link EnvironmentOrigin}. Skipped without
 * one.
 */
class EndpointViewListsTest extends ViewListSuite {
    @Override
    OriginFixture connect() throws IOException {
        return EnvironmentOrigin.connect();
    }
}
