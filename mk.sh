cd /tmp/rs_probe && gcc -std=gnu17 -O3 -w -I/tmp/rodspeed/include -I/tmp/rodspeed/src -I/tmp/rodspeed/src/rod -I/tmp/rodspeed/bench probe.c gauss_probe.c /tmp/b_rodspeed/libtwang.a -lm -o probe
