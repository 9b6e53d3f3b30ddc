package io.millrace.config.binding;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import io.millrace.config.problem.SettingsException;
import io.millrace.config.problem.SettingsProblem;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests that a randomly damaged file is bound or refused, and never fails otherwise. */
class MutatedFileTest {
    private static final String[] PIECES = {
        "{",
        "}",
        "[",
        "]",
        ":",
        ": ",
        ",",
        "-",
        "- ",
        "#",
        "*",
        "&a ",
        "*a",
        "!",
        "!!str ",
        "|",
        ">",
        "'",
        "\"",
        "\\",
        "\t",
        "\n",
        "\n\n",
        "---\n",
        "...\n",
        "%",
        "@",
        "`",
        "~",
        "null",
        "${",
        "${AWS_SECRET}",
        "$${",
        "}",
        "\0",
        "\uFEFF",
        "\u2028",
        "\ud83d\udd11",
        "é",
        "<<: ",
        "? ",
        "=",
        "type: s3",
        "type: ",
        "999999999999999999999",
        "-1",
        "1MiB"
    };

    @TempDir
    Path folder;

    @Test
    void mutationsAreBoundOrRefused() throws Exception {
        readMutations(2_000);
    }

    @Test
    @Tag("long")
    void aHundredThousandMutationsAreBoundOrRefused() throws Exception {
        readMutations(100_000);
    }

    private void readMutations(int rounds) throws Exception {
        Random random = new Random(20_261_120);
        SettingsReader reader = new SettingsReader(
                SampleSettings.VARIANTS,
                Map.of("AWS_SECRET", "s", "MILLRACE_CACHE_DISKS_0_PATH", "/x", "MILLRACE_BUCKETS_1_WRITE", "fill"));
        Path file = folder.resolve("millrace.yaml");
        int bound = 0;
        for (int round = 0; round < rounds; round++) {
            byte[] mutated = mutate(SampleSettings.YAML, random);
            Files.write(file, mutated);
            try {
                assertThat(reader.read(file, SampleSettings.class).settings().identities())
                        .isNotEmpty();
                bound++;
            } catch (SettingsException e) {
                assertThat(e.problems()).isNotEmpty().allSatisfy(MutatedFileTest::assertUseful);
            } catch (RuntimeException | StackOverflowError e) {
                fail("round " + round + ":\n" + new String(mutated, StandardCharsets.UTF_8), e);
            }
        }
        assertThat(bound).isBetween(rounds / 50, rounds / 2);
    }

    private static void assertUseful(SettingsProblem problem) {
        assertThat(problem.source()).isNotEmpty();
        assertThat(problem.line()).isBetween(0, 100);
        assertThat(problem.description()).isNotEmpty();
        assertThat(problem.remedy()).isNotEmpty();
        assertThat(problem.key() + problem.value() + problem.description() + problem.remedy())
                .doesNotContain("\n");
    }

    private static byte[] mutate(String valid, Random random) {
        StringBuilder text = new StringBuilder(valid);
        for (int i = random.nextInt(4); i >= 0; i--) {
            int at = random.nextInt(text.length());
            int end = Math.min(text.length(), at + 1 + random.nextInt(random.nextInt(10) == 0 ? 200 : 4));
            switch (random.nextInt(5)) {
                case 0 -> text.insert(at, PIECES[random.nextInt(PIECES.length)]);
                case 1 -> text.delete(at, end);
                case 2 -> text.replace(at, end, PIECES[random.nextInt(PIECES.length)]);
                case 3 -> text.insert(random.nextInt(text.length()), text.substring(at, end));
                default -> text.setCharAt(at, (char) random.nextInt(0x250));
            }
            if (text.length() == 0) {
                return new byte[0];
            }
        }
        byte[] bytes = text.toString().getBytes(StandardCharsets.UTF_8);
        if (random.nextInt(10) == 0) {
            bytes[random.nextInt(bytes.length)] ^= (byte) (1 << random.nextInt(8));
        }
        return bytes;
    }
}
