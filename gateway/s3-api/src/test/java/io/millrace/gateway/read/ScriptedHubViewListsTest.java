package io.millrace.gateway.read;

import java.io.IOException;
import org.junit.jupiter.api.Tag;

/** The suite over repositories of a scripted Hub. */
@Tag("matrix")
class ScriptedHubViewListsTest extends ViewListSuite {
    @Override
    OriginFixture connect() throws IOException {
        return HubOriginFixture.start();
    }
}
