package io.millrace.gateway.read;

import java.io.IOException;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The suite over repositories of a scripted Hub. */
class ScriptedHubReadTest extends S3ReadSuite {
    @Override
    protected OriginFixture connect() throws IOException {
        return HubOriginFixture.start();
    }

    /** Below the other prefix, {@code in}, the file {@code in/} would be a slash, and git has no such file. */
    @Override
    @ParameterizedTest
    @ValueSource(strings = "in/")
    public void pagesAreOfWhatIsBelowThePrefix(String prefix) throws IOException {
        super.pagesAreOfWhatIsBelowThePrefix(prefix);
    }
}
