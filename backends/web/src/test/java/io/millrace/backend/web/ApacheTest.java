package io.millrace.backend.web;

import io.millrace.backend.spi.object.ObjectKey;
import java.io.IOException;
import java.time.Duration;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;

/** Runs the contract over Apache, whose index has rounded sizes: each listed object is asked for its own. */
@EnabledIf(value = "isInstalled", disabledReason = "Apache (apache2-bin) is not installed")
class ApacheTest extends WebServerContract {
    static boolean isInstalled() {
        return WebServerProcess.hasApache();
    }

    /** It links to a name with a colon as if that were a URL of its own. */
    @Override
    public boolean supportsKey(ObjectKey key) {
        return super.supportsKey(key) && key.value().indexOf(':') < 0;
    }

    @Override
    WebServerProcess start() throws IOException {
        return WebServerProcess.apache();
    }

    /** Apache's ETag is weak while the file may still change within its clock's second. */
    @Override
    Duration age() {
        return Duration.ofSeconds(10);
    }

    @Override
    @Test
    public void lastModifiedIsTheWriteTimeInSeconds() {
        Assumptions.abort("the files are made older than they are");
    }
}
