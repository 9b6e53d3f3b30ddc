package io.millrace.config;

/** The part of the reference page that is the same whatever the keys are. */
final class ReferenceText {
    static final String INTRODUCTION = """
            # Settings

            <!-- Made from the settings records in the code; change it there. -->

            Millrace reads one YAML file, `millrace serve --config millrace.yaml`, once, when it starts. Everything that is
            wrong with it is reported together, each problem with its line, key, value and remedy; an unknown key is a
            problem too.

            ## How values are written

            | type | as | remarks |
            | --- | --- | --- |
            | text | `imagenet` | Quotes are needed only where YAML would read something else: `"*"`, `"a: b"`. Leading zeros stay. |
            | whole number, number | `8`, `0.5` | Decimal digits. |
            | true or false | `true` | No other words: `yes`, `on` and `1` are refused. |
            | size | `64KiB`, `1MiB`, `20GiB`, `1TiB` | In 1024s; `kB`, `MB`, `GB` and `TB` count in 1000s; a number alone is bytes. |
            | duration | `500ms`, `60s`, `5m`, `1h`, `7d` | The unit is needed. |
            | path | `./data` | Relative to the folder of the file. `~` is not replaced. |
            | URL | `http://127.0.0.1:9000` | `http` or `https` and a host, without user and password. |
            | secret | `"${AWS_SECRET}"` | See [secrets](#secrets). |
            | list of ... | `[ a, b ]` | A list of one value may be written as the value alone: `allow: "*"`. |

            `${NAME}` in a value is replaced by the environment variable of that name, which must be set; `$${` stands for
            the two characters `${`.

            ## Environment variables

            Every key is also an environment variable: `s3.port` is `MILLRACE_S3_PORT`. It wins over the file, and its
            value is taken as it is, without quotes and without replacing `${NAME}`.

            - `<N>` in a name is the index of a list element, from 0: one that the file has, or the next.
            - `<NAME>` is the name of an entry in capitals, with `_` for `-` and `.`: one that the file has, or a new one,
              whose name is then in lower case with `-` for `_`.
            - Variables that match no key are ignored, typing errors included, since Kubernetes sets names that begin with
              `MILLRACE_` for a Service named `millrace`. So is `MILLRACE_S3_PORT=tcp://...`, which it sets for a Service
              named `millrace-s3`.

            ## Secrets

            A secret is never shown: not in messages, not in logs. It is written in one of three ways:

            - in a file of its own, named by the key with `-file`: `secret-key-file: /etc/millrace/trainer`. The file holds
              the secret and nothing else; one line end at its end is left out. It must not be readable by group or others
              (`chmod 600`). Where Kubernetes mounts a secret for a group (`fsGroup`), use a variable instead.
            - as an environment variable: `secret-key: "${AWS_SECRET}"`, or the variable of the key itself.
            - in the settings file. Then let nobody else read that.
            """;

    private ReferenceText() {}
}
