package io.millrace.backend.web;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.spi.ListPage;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.ObjectKey;
import java.io.IOException;
import java.time.temporal.ChronoUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;

/** Runs the contract over nginx with its index as HTML, whose sizes are exact and whose times are minutes. */
@EnabledIf(value = "isInstalled", disabledReason = "nginx is not installed")
class NginxHtmlTest extends NginxTest {
    @Override
    WebServerProcess start() throws IOException {
        return WebServerProcess.nginx("html");
    }

    @Override
    @Test
    public void entryReportsWhatTheHeadReports() {
        ObjectKey key = new ObjectKey("listed/entry.bin");
        seed(key, new byte[4321], HeaderList.EMPTY);

        ListPage.ListedObject entry = listed("", "").objects().get(0);

        assertThat(entry.key()).isEqualTo(key);
        assertThat(entry.size()).isEqualTo(4321);
        assertThat(entry.lastModified())
                .isEqualTo(head(key).head().lastModified().orElseThrow().truncatedTo(ChronoUnit.MINUTES));
    }
}
