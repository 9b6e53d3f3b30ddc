package io.millrace.backend.azure;

import io.millrace.backend.spi.Backend;
import io.millrace.backend.testkit.server.WebPageContract;
import java.net.URI;

/** Runs the contract of pages in a server's place against an Azure backend. */
class AzureWebPageTest extends WebPageContract {
    @Override
    protected Backend connect(URI url) {
        return AzureTestAccount.at(url).backend();
    }
}
