package io.millrace.config.binding;

/** The introduction of the reference page. */
final class ReferenceIntroduction {
    static final String INTRODUCTION = """
            # Settings

            <!-- Generated from the settings records in the code; change them there. -->

            Millrace reads one YAML file (`millrace serve --config millrace.yaml`) when it starts. It reports all problems
            together, each with its line, key, value and remedy. An unknown key is a problem too.

            ## How values are written

            | type | example | notes |
            | --- | --- | --- |
            | text | `imagenet` | Quotes are needed only where YAML would read something else: `"*"`, `"a: b"`. Leading zeros stay. |
            | whole number, number | `8`, `0.5` | Decimal digits. |
            | true or false | `true` | `yes`, `on` and `1` are refused. |
            | size | `64KiB`, `1MiB`, `20GiB`, `1TiB` | Powers of 1024; `kB`, `MB`, `GB`, `TB`: powers of 1000; no unit: bytes. |
            | duration | `500ms`, `60s`, `5m`, `1h`, `7d` | The unit is required. |
            | path | `./data` | Relative to the folder of the settings file. `~` is not expanded. |
            | URL | `http://127.0.0.1:9000` | `http` or `https` and a host; no user or password. |
            | secret | `"${AWS_SECRET}"` | See [secrets](#secrets). |
            | list of ... | `[ a, b ]` | A list of one value may be written as that value: `allow: "*"`. |

            `${NAME}` in a value is replaced by the environment variable of that name, which must be set. Write `$${` for a
            literal `${`.

            ## Environment variables

            Every key is also an environment variable: `s3.port` is `MILLRACE_S3_PORT`. The variable overrides the file. Its
            value is used literally, without quotes and without replacing `${NAME}`.

            - `<N>` is the index of a list element, from 0: an element of the file, or the next one.
            - `<NAME>` is the name of an entry in capitals, with `_` for `-` and `.`: an entry of the file, or a new one,
              whose name is then in lower case with `-` for `_`.
            - Variables that match no key are ignored, even misspelt ones, because Kubernetes sets names that begin with
              `MILLRACE_` for a Service named `millrace`. For the same reason `MILLRACE_S3_PORT=tcp://...`, which it sets
              for a Service named `millrace-s3`, is ignored.

            ## Secrets

            Messages and logs never show a secret. There are three ways to set one:

            - in a file of its own, named by the key with `-file`: `secret-key-file: /etc/millrace/trainer`. The file holds
              only the secret; one line break at its end is ignored. Group and others must not be able to read it
              (`chmod 600`). If Kubernetes mounts the secret for a group (`fsGroup`), use a variable instead.
            - as an environment variable: `secret-key: "${AWS_SECRET}"`, or the variable of the key itself.
            - in the settings file. Then make that file unreadable for others.
            """;

    private ReferenceIntroduction() {}
}
