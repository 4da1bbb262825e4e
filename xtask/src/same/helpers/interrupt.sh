# Sends a signal to a command once a file has more than so many bytes: interrupt.sh FILE BYTES SIGNAL COMMAND...
file=$1 bytes=$2 signal=$3
shift 3
"$@" &
process=$!
while kill -0 $process 2> /dev/null && [ "$(cat "$file" 2> /dev/null | wc -c)" -le "$bytes" ]; do sleep 0.01; done
kill -s "$signal" $process
wait $process
