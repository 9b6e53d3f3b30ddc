package io.millrace.gateway.app;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.gateway.app.command.MillraceApplication;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests policies in the settings file: what is refused, and how {@code policy explain} explains a decision. */
class PolicyExplainTest {
    private static final String FILE = """
            s3: { port: 0 }
            admin: { port: 0 }
            data: ./data
            cache: { disks: [ { path: ./data/cache, size: 64MiB } ] }
            backends: { far: { type: s3, endpoint: "http://127.0.0.1:9" } }
            buckets:
              - { name: imagenet, backend: far, anonymous: read, policy: policies/imagenet.json }
              - { name: "*", backend: far }
            identities:
              - { name: admin, access-key: A, secret-key: S, allow: "*" }
              - { name: trainer, access-key: T, secret-key: S, policies: [ policies/trainer.json ] }
            """;

    private static final String TRAINER = """
            { "Version": "2012-10-17", "Statement": [
              { "Sid": "Read", "Effect": "Allow", "Action": "s3:GetObject", "Resource": "arn:aws:s3:::data/train/*" },
              { "Effect": "Allow", "Action": "s3:ListBucket", "Resource": "arn:aws:s3:::data",
                "Condition": { "StringLike": { "s3:prefix": "train/*" } } },
              { "Sid": "Office", "Effect": "Deny", "Action": "*", "Resource": "*",
                "Condition": { "NotIpAddress": { "aws:SourceIp": [ "10.0.0.0/8", "127.0.0.1" ] } } },
              { "Sid": "Tls", "Effect": "Deny", "Action": "s3:GetObject", "Resource": "arn:aws:s3:::data/train/secret/*",
                "Condition": { "Bool": { "aws:SecureTransport": "false" } } } ] }
            """;

    private static final String IMAGENET = """
            { "Version": "2012-10-17", "Statement":
              { "Sid": "NoTrainer", "Effect": "Deny", "Principal": { "AWS": "arn:aws:iam::000000000000:user/trainer" },
                "Action": "s3:*", "Resource": "arn:aws:s3:::imagenet/private/*" } }
            """;

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path folder;

    private final StringWriter printed = new StringWriter();

    @BeforeEach
    void write() throws Exception {
        Files.createDirectories(folder.resolve("policies"));
        Files.writeString(folder.resolve("millrace.yaml"), FILE);
        Files.writeString(folder.resolve("policies/trainer.json"), TRAINER);
        Files.writeString(folder.resolve("policies/imagenet.json"), IMAGENET);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                "trainer s3:GetObject data/train/a | 0 | allowed: trainer may s3:GetObject on arn:aws:s3:::data/train/a"
                        + " | by trainer.json, statement 1 (Read)",
                "trainer S3:GETOBJECT s3://data/train/a | 0 | arn:aws:s3:::data/train/a | statement 1 (Read)",
                "trainer s3:GetObject arn:aws:s3:::data/val/a | 1 | denied: trainer may not s3:GetObject | nothing"
                        + " allows it",
                "trainer s3:GetObject data/train/../val/a | 1 | denied: | some backends take the key for"
                        + " arn:aws:s3:::data/val/a, which is not allowed",
                "--source-ip 192.0.2.1 trainer s3:GetObject data/train/a | 1 | denied: | by trainer.json, statement 3"
                        + " (Office)",
                "trainer s3:GetObject data/train/secret/a | 1 | denied: | by trainer.json, statement 4 (Tls)",
                "--tls trainer s3:GetObject data/train/secret/a | 0 | allowed: | statement 1 (Read)",
                "trainer s3:ListBucket data | 1 | denied: | nothing allows it",
                "--parameter prefix=train/x trainer s3:ListBucket data | 0 | allowed: | trainer.json, statement 2",
                "trainer s3:GetObject imagenet/a | 0 | allowed: | by anonymous",
                "trainer s3:GetObject imagenet/private/a | 1 | denied: | by imagenet.json, statement 1 (NoTrainer)",
                "anonymous s3:GetObject imagenet/private/a | 0 | allowed: | by anonymous",
                "anonymous s3:PutObject imagenet/a | 1 | denied: | nothing allows it",
                "admin s3:PutObject imagenet/private/a | 0 | allowed: | by allow: *",
                "nobody s3:GetObject data/a | 2 | the file has no identity | 'nobody'",
                "admin s3:GetThing data/a | 2 | 's3:GetThing' is no action that Millrace has | write one as"
                        + " s3:GetObject",
                "admin s3:GetObject data | 2 | s3:GetObject is about objects | arn:aws:s3:::BUCKET/KEY",
                "admin s3:ListBucket data/a | 2 | s3:ListBucket is about buckets | arn:aws:s3:::BUCKET",
                "--source-ip here admin s3:GetObject data/a | 2 | 'here' | is no IP address"
            })
    void explainsWhichStatementDecides(String question, int code, String decision, String reason) {
        assertThat(run(Stream.concat(Stream.of("policy", "explain"), Stream.of(question.split(" ")))
                        .toList()))
                .isEqualTo(code);
        assertThat(printed.toString()).contains(decision, reason);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "s3:GetObject\",|s3:GetObjet\",|identities[1].policies[0]|line 2, Statement[0].Action: has"
                        + " \"s3:GetObjet\"|write s3:GetObject",
                "\"Sid\": \"Tls\"|\"Sid\": \"Tls\", \"Principal\": \"*\"|identities[1].policies[0]|line 7,"
                        + " Statement[3].Principal: belongs into|leave it out",
                "user/trainer|user/stranger|buckets[0].policy|names identities that this file does not have:"
                        + " stranger|write the name of an identity",
                "imagenet/private|other/private|buckets[0]|about nothing in the bucket 'imagenet' (imagenet.json,"
                        + " statement 1 (NoTrainer))|correct the values"
            })
    void refusesPoliciesWithLineAndRemedy(String part, String broken, String key, String problem, String remedy)
            throws Exception {
        Files.writeString(folder.resolve("policies/trainer.json"), TRAINER.replaceFirst(part, broken));
        Files.writeString(folder.resolve("policies/imagenet.json"), IMAGENET.replace(part, broken));

        assertThat(run(List.of("config", "check"))).isEqualTo(1);
        assertThat(printed.toString()).contains("1 problem", "millrace.yaml:", key, problem, remedy);
    }

    @Test
    void refusesAMissingFile() throws Exception {
        Files.delete(folder.resolve("policies/trainer.json"));

        assertThat(run(List.of("config", "check"))).isEqualTo(1);
        assertThat(printed.toString()).contains("millrace.yaml:11  identities[1].policies[0]", "there is no such file");
    }

    private int run(List<String> arguments) {
        return MillraceApplication.commands()
                .setOut(new PrintWriter(printed))
                .setErr(new PrintWriter(printed))
                .execute(Stream.concat(
                                arguments.stream(),
                                Stream.of(
                                        "--config",
                                        folder.resolve("millrace.yaml").toString()))
                        .toArray(String[]::new));
    }
}
