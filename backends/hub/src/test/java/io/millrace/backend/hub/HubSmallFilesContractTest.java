package io.millrace.backend.hub;

import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

/** The backend's contract over small files alone, which the Hub itself sends, whole whatever the range. */
class HubSmallFilesContractTest extends HubBackendContractTest {
    private static final String MIXED =
            "takes seconds over hundreds of files, which HubBackendContractTest has of both kinds";

    @Override
    boolean isLarge(byte[] bytes) {
        return false;
    }

    @Override
    @Test
    public void tortureListIsHeldReadAndListed() {
        Assumptions.abort(MIXED);
    }

    @Override
    @Test
    public void listsManyKeysInPagesOfAThousand() {
        Assumptions.abort(MIXED);
    }
}
